#include <fmt/format.h>

#include <array>
#include <barrier>
#include <optional>
#include <thread>

#include "models/kernels/families/gpu_session.h"
#include "models/kernels/group/device_group.h"
#include "models/kernels/serve/landing_check.h"
#include "models/kernels/serve/split_profile.h"
#include "models/kernels/serve/split_lists.h"
#include "models/kernels/serve/split_run.h"
#include "models/kernels/serve/split_tables.h"

namespace rackwright::kernels {
namespace {

constexpr int prompt_rank = 0, token_rank = 1;

/// One GPU of the pair and its engine.
struct PairSide {
  PairSide(int device, std::uint64_t seed) : gpu(device_facts(device), seed, 1), engine(gpu.session(), seed, written.all()) {}

  GpuSession gpu;
  LayerEvents written;
  ServingEngine engine;
};

class ServingPair {
 public:
  explicit ServingPair(std::uint64_t seed) : devices_(2) {
    devices_.on_all([&](int rank) { side(rank).emplace(devices_.side(rank).device, seed); });
    receiver_.layers = side(token_rank)->engine.caches();
  }
  ~ServingPair() {
    devices_.on_all([&](int rank) { side(rank).reset(); });
  }
  ServingPair(const ServingPair&) = delete;
  ServingPair& operator=(const ServingPair&) = delete;

  ProfileHeader header() const { return side(prompt_rank)->gpu.header(); }

  /// Both engines and the way between them.
  void check(std::uint64_t seed, const std::filesystem::path& out) {
    const ProfileHeader lines = header();
    // One after the other: both write the same file and say the same.
    for (const int turn : {prompt_rank, token_rank})
      devices_.on_all([&](int rank) {
        if (rank == turn) write_serving_check(side(rank)->engine, seed, out, lines);
      });
    devices_.on_all([&](int rank) {
      if (rank != prompt_rank) return;
      for (const KvPath path : {KvPath::peer, KvPath::in_turn}) check_landing(side(rank)->engine, *handover(path), receiver_);
    });
  }

  SplitRun run(const NamedList& list, KvPath path, const ServingOptions& options) {
    SplitRun result;
    const std::vector<double> unknown(list.requests.size(), std::numeric_limits<double>::infinity());
    BatchScheduler prompts(prompts_of(list.requests)), tokens(tokens_of(list.requests, unknown));
    Handovers handovers;
    std::atomic<bool> lost = false;
    std::optional<RunClock> clock;
    std::barrier begin(2, [&]() noexcept { clock.emplace(); });
    devices_.on_all([&](int rank) {
      bool met = false;
      try {
        const double warm_up_w = warm_up(side(rank)->engine, side(rank)->gpu.session().nvml, options.warm_up_s);
        met = true;
        begin.arrive_and_wait();
        if (lost) throw DeviceError("the other GPU gave up");
        if (rank == prompt_rank) serve_prompts(list, path, prompts, tokens, handovers, *clock, lost, result);
        else serve_tokens(list, tokens, handovers, *clock, lost, result);
        (rank == prompt_rank ? result.prompts : result.tokens).warm_up_w = warm_up_w;
      } catch (...) {
        lost = true;
        if (!met) begin.arrive_and_drop();
        throw;
      }
    });
    return result;
  }

 private:
  std::optional<PairSide>& side(int rank) { return sides_[static_cast<std::size_t>(rank)]; }
  const std::optional<PairSide>& side(int rank) const { return sides_[static_cast<std::size_t>(rank)]; }

  std::unique_ptr<KvHandover> handover(KvPath path) {
    const PairSide& from = *side(prompt_rank);
    if (path == KvPath::peer) return layered_copies(from.engine, from.written, receiver_);
    if (path == KvPath::in_turn) return copies_in_turn(from.engine, receiver_, devices_.side(prompt_rank).device, devices_.side(token_rank).device);
    throw EnvironmentError("keys and values of a pair go to its other GPU");
  }

  void serve_prompts(const NamedList& list, KvPath path, BatchScheduler& prompts, BatchScheduler& tokens, Handovers& handovers, const RunClock& clock,
                     const std::atomic<bool>& lost, SplitRun& result) {
    const auto reserve = [&] {
      for (;; std::this_thread::yield()) {
        if (lost) throw DeviceError("the other GPU gave up");
        if (const std::optional<int> slot = tokens.slots().take()) return *slot;
      }
    };
    const auto deliver = [&](std::size_t request, double landed_s, int slot) {
      if (list.requests[request].output_tokens > 1) handovers.push({request, landed_s, slot});
      else tokens.slots().give(slot);
    };
    const std::unique_ptr<KvHandover> kv = handover(path);
    PromptSide hooks(clock, *kv, receiver_, list.requests.size(), reserve, deliver);
    result.prompts = serve(side(prompt_rank)->engine, side(prompt_rank)->gpu.session(), prompts, clock, hooks);
    result.landed_s = hooks.landed_s();
  }

  void serve_tokens(const NamedList& list, BatchScheduler& tokens, Handovers& handovers, const RunClock& clock, const std::atomic<bool>& lost,
                    SplitRun& result) {
    std::vector<std::size_t> order(list.requests.size());
    const std::vector<std::size_t> decoded = decoded_of(list.requests);
    for (std::size_t i = 0; i < decoded.size(); ++i) order[decoded[i]] = i;
    TokenSide hooks(tokens, handovers, std::move(order), lost);
    result.tokens = serve(side(token_rank)->engine, side(token_rank)->gpu.session(), tokens, clock, hooks);
  }

  DeviceGroup devices_;
  std::array<std::optional<PairSide>, 2> sides_;
  KvReceiver receiver_;
};

}  // namespace

void profile_serving_pair(const ServingOptions& options, const std::filesystem::path& out, std::uint64_t seed) {
  const std::vector<NamedList> lists = request_lists(options);
  ServingPair pair(seed);
  pair.check(seed, out);
  SplitTables tables;
  for (const NamedList& list : lists)
    for (const KvPath path : options.kv) {
      const SplitRun run = pair.run(list, path, options);
      tables.add(list, path, run);
      tables.write(out, pair.header());
      print_run(fmt::format("{} {} prompts", list.name, name_of(path)), run.prompts);
      print_run(fmt::format("{} {} tokens", list.name, name_of(path)), run.tokens);
    }
}

}  // namespace rackwright::kernels
