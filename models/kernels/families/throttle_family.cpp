#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "models/kernels/families/families.h"
#include "models/kernels/families/step_operation.h"
#include "models/kernels/measure/clock_stamp.h"
#include "models/kernels/measure/graph.h"
#include "models/kernels/measure/pause.h"

namespace rackwright::kernels {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double bin_s = 0.05;
/// Between cases, so that the driver's mean over a second starts low.
constexpr double rest_s = 3;

/// Rounds of prompt steps, decode steps and a rest, kept up for some seconds.
struct Phase {
  int prompts = 0;
  int decodes = 0;
  bool light = false;  ///< Decode steps of 8 sequences, not 48.
  double rest = 0;     ///< As a multiple of the round's work.
  double seconds = 0;
};

struct ThrottleCase {
  std::string name;
  std::vector<Phase> phases;
};

std::vector<ThrottleCase> throttle_cases() {
  return {{"prompts", {{1, 0, false, 0, 6}}},
          {"prompts_rest_half", {{1, 0, false, 1, 5}}},
          {"decodes", {{0, 4, false, 0, 5}}},
          {"1_prompt_1_decode", {{1, 1, false, 0, 5}}},
          {"1_prompt_2_decodes", {{1, 2, false, 0, 5}}},
          {"1_prompt_4_decodes", {{1, 4, false, 0, 5}}},
          {"1_prompt_8_decodes", {{1, 8, false, 0, 5}}},
          {"1_prompt_16_decodes", {{1, 16, false, 0, 5}}},
          {"1_prompt_16_light_decodes", {{1, 16, true, 0, 5}}},
          {"light_mixed_light", {{0, 4, true, 0, 3}, {1, 1, false, 0, 4}, {0, 4, true, 0, 3}, {1, 4, false, 0, 4}, {0, 4, true, 0, 2}}}};
}

/// A step as two graphs in turn: launching one that still runs would make its next run wait.
class StepGraph {
 public:
  StepGraph(ProfileSession& session, const StepCase& shape)
      : stream_(session.bench.stream()),
        step_(session.arena, session.blas_lt, session.bench.accuracy(), shape, session.seed, stream_),
        us_(session.bench.quick_us(step_)) {
    step_.refresh(session.bench.next_seed(), stream_);
    for (auto& graph : graphs_) graph = std::make_unique<Graph>(stream_, [this] { step_.launch(0, stream_); });
  }
  void launch() { graphs_[turn_++ % 2]->launch(stream_); }
  double us() const { return us_; }

 private:
  cudaStream_t stream_;
  StepOperation step_;
  double us_;
  std::unique_ptr<Graph> graphs_[2];
  unsigned turn_ = 0;
};

/// What the host saw when a bin of rounds was done.
struct HostSample {
  const Phase* phase = nullptr;
  double t_s = 0;
  int rounds = 0;
  int driver_mhz = 0;
  double driver_w = 0;
  double energy_j = 0;
};

class ThrottleRun {
 public:
  explicit ThrottleRun(ProfileSession& session)
      : session_(session), stream_(session.bench.stream()), clock_(session.facts.sms, bins_max * pairs_per_bin) {
    for (auto& event : done_) check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  }
  ~ThrottleRun() {
    for (auto& event : done_) cudaEventDestroy(event);
  }
  ThrottleRun(const ThrottleRun&) = delete;
  ThrottleRun& operator=(const ThrottleRun&) = delete;

  void run(const ThrottleCase& one, ProfileTable& table) {
    std::this_thread::sleep_for(std::chrono::duration<double>(rest_s));
    bins_ = 0;
    samples_.clear();
    start_ = Clock::now();
    double end_s = 0;
    for (const Phase& phase : one.phases) {
      end_s += phase.seconds;
      while (seconds() < end_s && bins_ < bins_max) {
        if (bins_ >= 2) finish(bins_ - 2);
        enqueue(phase);
      }
    }
    for (int bin = std::max(bins_ - 2, 0); bin < bins_; ++bin) finish(bin);
    write(one, table);
  }

 private:
  static constexpr int bins_max = 512;
  enum Pair { whole, last_prompt, last_decodes, pairs_per_bin };

  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  void enqueue(const Phase& phase) {
    StepGraph& decode = phase.light ? light_ : decode_;
    const double work_us = phase.prompts * prompt_.us() + phase.decodes * decode.us();
    const int rounds = std::max(1, static_cast<int>(std::lround(bin_s * 1e6 / (work_us * (1 + phase.rest)))));
    const int pair = bins_ * pairs_per_bin;
    clock_.begin(pair + whole, stream_);
    for (int round = 0; round < rounds; ++round) {
      const bool stamped = round + 1 == rounds;
      if (stamped && phase.prompts > 0) clock_.begin(pair + last_prompt, stream_);
      for (int i = 0; i < phase.prompts; ++i) prompt_.launch();
      if (stamped && phase.prompts > 0) clock_.end(pair + last_prompt, stream_);
      if (stamped && phase.decodes > 0) clock_.begin(pair + last_decodes, stream_);
      for (int i = 0; i < phase.decodes; ++i) decode.launch();
      if (stamped && phase.decodes > 0) clock_.end(pair + last_decodes, stream_);
      if (phase.rest > 0) device_pause(work_us * phase.rest, stream_);
    }
    clock_.end(pair + whole, stream_);
    check(cudaEventRecord(done_[bins_ % 2], stream_));
    samples_.push_back({&phase, 0, rounds, 0, 0, 0});
    ++bins_;
  }

  void finish(int bin) {
    check(cudaEventSynchronize(done_[bin % 2]));
    HostSample& sample = samples_[static_cast<std::size_t>(bin)];
    sample.t_s = seconds();
    sample.driver_mhz = session_.nvml.sm_clock_mhz();
    sample.driver_w = session_.nvml.power_w();
    sample.energy_j = session_.nvml.energy_j();
  }

  void write(const ThrottleCase& one, ProfileTable& table) {
    check(cudaStreamSynchronize(stream_));
    const auto spans = clock_.spans(bins_ * pairs_per_bin);
    for (int bin = 0; bin < bins_; ++bin) {
      const HostSample& sample = samples_[static_cast<std::size_t>(bin)];
      const Phase& phase = *sample.phase;
      const auto* of_bin = spans.data() + bin * pairs_per_bin;
      const auto each = [&](Pair pair, int steps) { return steps > 0 ? number(of_bin[pair].seconds * 1e6 / steps) : std::string(); };
      const auto mhz = [&](Pair pair, int steps) { return steps > 0 ? fmt::format("{:.0f}", of_bin[pair].mhz) : std::string(); };
      table.add_raw({one.name, fmt::format("{}", phase.prompts), fmt::format("{}", phase.decodes), phase.light ? "8" : "48", number(phase.rest),
                     fmt::format("{:.3f}", sample.t_s), each(whole, sample.rounds), mhz(whole, 1), each(last_prompt, phase.prompts),
                     mhz(last_prompt, phase.prompts), each(last_decodes, phase.decodes), mhz(last_decodes, phase.decodes),
                     fmt::format("{}", sample.driver_mhz), number(sample.driver_w), fmt::format("{:.2f}", sample.energy_j - samples_.front().energy_j)});
    }
  }

  ProfileSession& session_;
  cudaStream_t stream_;
  StepGraph prompt_{session_, {{llama_8b(), 1}, 32, 0, 0, 1024, 0}};
  StepGraph decode_{session_, {{llama_8b(), 1}, 32, 48, 1024, 0, 0}};
  StepGraph light_{session_, {{llama_8b(), 1}, 32, 8, 1024, 0, 0}};
  ClockStamps clock_;
  cudaEvent_t done_[2] = {};
  int bins_ = 0;
  std::vector<HostSample> samples_;
  Clock::time_point start_;
};

}  // namespace

void measure_throttle(ProfileSession& session, std::vector<ProfileTable>& tables) {
  auto& table = tables.emplace_back(ProfileTable::untimed(
      "throttle", {"case", "prompts", "decodes", "decode", "rest", "t_s", "round_us", "sm_mhz", "prompt_us", "prompt_mhz", "decode_us", "decode_mhz",
                   "driver_mhz", "driver_w", "energy_j"}));
  const ArenaScope scope(session.arena);
  ThrottleRun run(session);
  for (const auto& one : thinned(throttle_cases(), session.every)) run.run(one, table);
}

}  // namespace rackwright::kernels
