#include "models/kernels/serve/split_profile.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/kernels/serve/landing_check.h"
#include "models/kernels/serve/split_lists.h"
#include "models/kernels/serve/split_run.h"
#include "models/kernels/serve/split_tables.h"

namespace rackwright::kernels {
namespace {

/// Elements of one sequence's keys in a layer.
std::size_t sequence_elements(const ServingEngine& engine) { return most_sequence_tokens * engine.kv_width(); }

/// Memory of the host for one sequence, which copies of all prompts fill in turn.
class HostReceiver {
 public:
  explicit HostReceiver(const ServingEngine& engine) {
    const std::size_t elements = sequence_elements(engine);
    check(cudaMallocHost(reinterpret_cast<void**>(&memory_), 2 * ServingEngine::layers * elements * sizeof *memory_));
    for (std::size_t i = 0; i < ServingEngine::layers; ++i) receiver.layers.push_back({memory_ + 2 * i * elements, memory_ + (2 * i + 1) * elements});
  }
  ~HostReceiver() { cudaFreeHost(memory_); }
  HostReceiver(const HostReceiver&) = delete;
  HostReceiver& operator=(const HostReceiver&) = delete;

  KvReceiver receiver;

 private:
  __nv_bfloat16* memory_ = nullptr;
};

KvReceiver device_receiver(const ServingEngine& engine, Arena& arena) {
  KvReceiver receiver;
  const std::size_t elements = sequence_elements(engine);
  for (int i = 0; i < ServingEngine::layers; ++i) receiver.layers.push_back({arena.take<__nv_bfloat16>(elements), arena.take<__nv_bfloat16>(elements)});
  return receiver;
}

/// The ways out of one GPU.
class OneGpuHandovers {
 public:
  OneGpuHandovers(ServingEngine& engine, Arena& arena, const LayerEvents& written, double wait_per_copy_s)
      : host_(engine), device_(device_receiver(engine, arena)), to_host_(layered_copies(engine, written, host_.receiver)),
        to_device_(layered_copies(engine, written, device_)), waits_(waits_in_turn(wait_per_copy_s)), nowhere_(no_copies()) {
    check_landing(engine, *to_host_, host_.receiver);
    check_landing(engine, *to_device_, device_);
  }

  struct Way {
    KvHandover& kv;
    KvReceiver& receiver;
  };
  Way way(KvPath path) {
    switch (path) {
      case KvPath::nowhere: return {*nowhere_, nobody_};
      case KvPath::waits: return {*waits_, nobody_};
      case KvPath::device: return {*to_device_, device_};
      case KvPath::host: return {*to_host_, host_.receiver};
      case KvPath::peer:
      case KvPath::in_turn: break;
    }
    throw EnvironmentError("keys and values go to another GPU in a pair only");
  }

 private:
  KvReceiver nobody_;
  HostReceiver host_;
  KvReceiver device_;
  std::unique_ptr<KvHandover> to_host_, to_device_, waits_, nowhere_;
};

SplitRun serve_halves(ServingEngine& engine, ProfileSession& session, const NamedList& list, OneGpuHandovers::Way way, const ServingOptions& options) {
  SplitRun run;
  {
    const double warm_up_w = warm_up(engine, session.nvml, options.warm_up_s);
    BatchScheduler scheduler(prompts_of(list.requests));
    const RunClock clock;
    PromptSide side(clock, way.kv, way.receiver, list.requests.size(), [] { return 0; }, [](std::size_t, double, int) {});
    run.prompts = serve(engine, session, scheduler, clock, side);
    run.prompts.warm_up_w = warm_up_w;
    run.landed_s = side.landed_s();
  }
  if (options.split == ServingSplit::prompts) return run;
  const double warm_up_w = warm_up(engine, session.nvml, options.warm_up_s);
  BatchScheduler scheduler(tokens_of(list.requests, run.landed_s));
  RunHooks nothing;
  run.tokens = serve(engine, session, scheduler, RunClock(), nothing);
  run.tokens.warm_up_w = warm_up_w;
  return run;
}

}  // namespace

void profile_split(ProfileSession& session, const ServingOptions& options, const std::filesystem::path& out, const ProfileHeader& header) {
  const std::vector<NamedList> lists = request_lists(options);
  const ArenaScope scope(session.arena);
  const LayerEvents written;
  ServingEngine engine(session, session.seed, written.all());
  write_serving_check(engine, session.seed, out, header);
  OneGpuHandovers handovers(engine, session.arena, written, options.wait_per_copy_s);
  for (const KvPath path : options.kv) handovers.way(path);  // Refuses before anything runs.
  SplitTables tables;
  for (const NamedList& list : lists)
    for (const KvPath path : options.kv) {
      const SplitRun run = serve_halves(engine, session, list, handovers.way(path), options);
      tables.add(list, path, run);
      tables.write(out, header);
      print_run(fmt::format("{} {} prompts", list.name, name_of(path)), run.prompts);
      if (!run.tokens.times.empty()) print_run(fmt::format("{} {} tokens", list.name, name_of(path)), run.tokens);
    }
}

}  // namespace rackwright::kernels
