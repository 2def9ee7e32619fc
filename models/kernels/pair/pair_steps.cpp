#include "models/kernels/pair/pair_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <barrier>
#include <chrono>
#include <cmath>
#include <memory>
#include <thread>

#include "models/kernels/device/arena.h"
#include "models/kernels/device/check.h"
#include "models/kernels/device/device_facts.h"
#include "models/kernels/families/step_operation.h"
#include "models/kernels/group/nccl_group.h"
#include "models/kernels/measure/clock_stamp.h"
#include "models/kernels/measure/graph.h"
#include "models/kernels/measure/pause.h"
#include "models/kernels/shapes/step_cases.h"

namespace rackwright::kernels {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int repetitions = 20;
constexpr double warm_up_s = 1;   ///< The driver averages power over about a second.
constexpr double window_s = 5;
/// Left to libraries, graphs and the driver.
constexpr std::size_t spare_bytes = std::size_t{6} << 30;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// One rank: its memory, and the forward pass that it takes part in.
class RankStep {
 public:
  /// The rank's device is current.
  RankStep(const GroupSide& side, ncclComm_t comm) : side_(side), comm_(comm), facts_(device_facts(side.device)), nvml_(facts_.pci_bus_id) {
    std::size_t free = 0, total = 0;
    check(cudaMemGetInfo(&free, &total));
    arena_ = std::make_unique<Arena>(free - spare_bytes);
  }

  /// Draws weights and inputs. Each rank has its own; the sums over the ranks do not care.
  void build(const StepCase& shape, std::uint64_t seed) {
    graphs_ = {};
    step_.reset();
    arena_->release_to(0);
    step_ = std::make_unique<StepOperation>(
        *arena_, blas_, accuracy_, shape, seed + static_cast<std::uint64_t>(side_.device), side_.stream,
        [this](__nv_bfloat16* elements, std::size_t count, cudaStream_t stream) {
          check_nccl(ncclAllReduce(elements, elements, count, ncclBfloat16, ncclSum, comm_, stream));
        });
    step_->refresh(seed, side_.stream);
    step_->launch(0, side_.stream);
    require_finite();
    // Two graphs in turn: launching one that still runs would make its next run wait.
    for (auto& graph : graphs_) graph = std::make_unique<Graph>(side_.stream, [this] { step_->launch(0, side_.stream); });
    graphs_[0]->launch(side_.stream);
    require_finite();
  }

  /// One step after a short pause, in which both hosts enqueue theirs.
  double timed_us() {
    device_pause(200, side_.stream);
    check(cudaEventRecord(side_.begin, side_.stream));
    graphs_[0]->launch(side_.stream);
    check(cudaEventRecord(side_.end, side_.stream));
    check(cudaStreamSynchronize(side_.stream));
    float ms = 0;
    check(cudaEventElapsedTime(&ms, side_.begin, side_.end));
    return 1e3 * ms;
  }

  void require_finite() {
    if (std::isnan(step_->error(0, side_.stream))) throw DeviceError("wrong result: a logit is not finite");
  }

  struct Sustained {
    double us_per_step = 0;
    double sm_mhz = 0;
    double mean_w = 0;
    double window_s = 0;
    int temperature_c = 0;
  };

  /// As many steps as both ranks have agreed on, two in flight.
  Sustained sustain(int warm_up_steps, int steps) {
    ClockStamps clock(facts_.sms, 1);
    std::array<cudaEvent_t, 2> done{};
    for (auto& event : done) check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    EnergyWindow energy;
    for (int i = 0; i < warm_up_steps + steps; ++i) {
      const auto turn = static_cast<std::size_t>(i % 2);
      if (i >= 2)
        for (cudaError_t status; (status = cudaEventQuery(done[turn])) != cudaSuccess;) {
          if (status != cudaErrorNotReady) check(status);
          if (i > warm_up_steps) energy.look(nvml_);
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
      if (i == warm_up_steps) clock.begin(0, side_.stream);
      graphs_[turn]->launch(side_.stream);
      check(cudaEventRecord(done[turn], side_.stream));
    }
    clock.end(0, side_.stream);
    check(cudaStreamSynchronize(side_.stream));
    for (auto& event : done) cudaEventDestroy(event);
    require_finite();
    return {clock.seconds(0) / steps * 1e6, clock.mean_mhz(1), energy.mean_w(), energy.seconds(), nvml_.temperature_c()};
  }

 private:
  /// The energy counter between the first and the last of its updates that were seen.
  class EnergyWindow {
   public:
    void look(const Nvml& nvml) {
      const double joules = nvml.energy_j();
      if (seen_ && joules == last_j_) return;
      last_j_ = joules;
      last_ = Clock::now();
      if (seen_ && !counts_) {
        first_j_ = joules;
        first_ = last_;
        counts_ = true;
      }
      seen_ = true;
    }
    double seconds() const { return counts_ ? std::chrono::duration<double>(last_ - first_).count() : 0; }
    double mean_w() const { return seconds() > 0 ? (last_j_ - first_j_) / seconds() : 0; }

   private:
    bool seen_ = false;
    bool counts_ = false;
    double first_j_ = 0, last_j_ = 0;
    Clock::time_point first_, last_;
  };

  const GroupSide& side_;
  ncclComm_t comm_;
  DeviceFacts facts_;
  Nvml nvml_;
  BlasLt blas_;
  Accuracy accuracy_;
  std::unique_ptr<Arena> arena_;
  std::unique_ptr<StepOperation> step_;
  std::array<std::unique_ptr<Graph>, 2> graphs_;
};

class PairStep {
 public:
  explicit PairStep(const DeviceGroup& pair) : pair_(pair), nccl_(pair) {
    pair.on_all([&](int rank) { ranks_[at(rank)] = std::make_unique<RankStep>(pair.side(rank), nccl_.of(rank)); });
  }
  ~PairStep() {
    pair_.on_all([&](int rank) { ranks_[at(rank)].reset(); });
  }
  PairStep(const PairStep&) = delete;
  PairStep& operator=(const PairStep&) = delete;

  void build(const StepCase& shape, std::uint64_t seed) {
    pair_.on_all([&](int rank) { ranks_[at(rank)]->build(shape, seed); });
  }

  /// The slower rank of each repetition; twice as long a rest follows.
  TimedResult timed() {
    std::array<std::vector<double>, 2> us;
    std::barrier meet(2);
    pair_.on_all([&](int rank) {
      try {
        for (int r = 0; r <= repetitions; ++r) {
          meet.arrive_and_wait();
          const double once_us = ranks_[at(rank)]->timed_us();
          if (r > 0) us[at(rank)].push_back(once_us);  // The first warms up.
          std::this_thread::sleep_for(std::chrono::duration<double, std::micro>(2 * once_us));
        }
        ranks_[at(rank)]->require_finite();
      } catch (...) {
        meet.arrive_and_drop();  // The other rank must not wait for this one.
        throw;
      }
    });
    std::vector<double> slower;
    for (std::size_t r = 0; r < us[0].size(); ++r) slower.push_back(std::max(us[0][r], us[1][r]));
    return {"graph", spread_of(slower), repetitions, 1, 0};
  }

  std::array<RankStep::Sustained, 2> sustained() {
    const double step_s = timed().us.median * 1e-6;
    std::array<RankStep::Sustained, 2> result;
    pair_.on_all([&](int rank) {
      result[at(rank)] = ranks_[at(rank)]->sustain(static_cast<int>(std::ceil(warm_up_s / step_s)), static_cast<int>(std::ceil(window_s / step_s)));
    });
    return result;
  }

 private:
  static std::size_t at(int rank) { return static_cast<std::size_t>(rank); }

  const DeviceGroup& pair_;
  NcclGroup nccl_;
  std::array<std::unique_ptr<RankStep>, 2> ranks_;
};

std::vector<std::string> shape_fields(const StepCase& c) {
  std::vector<std::string> fields{c.model_name()};
  for (int value : {c.decode, c.context, c.prefill, c.past, c.layers}) fields.push_back(fmt::format("{}", value));
  return fields;
}

std::vector<StepCase> every_nth(const std::vector<StepCase>& cases, int every) {
  std::vector<StepCase> kept;
  for (std::size_t i = 0; i < cases.size(); i += static_cast<std::size_t>(every)) kept.push_back(cases[i]);
  return kept;
}

}  // namespace

void measure_pair_steps(const DeviceGroup& pair, const GroupOptions& options, ProfileTable& table, const SaveTable& save) {
  PairStep step(pair);
  for (const StepCase& c : every_nth(pair_step_grid(), options.every)) {
    try {
      step.build(c, options.seed);
      table.add(shape_fields(c), step.timed());
    } catch (const DeviceError& error) {
      table.skip(shape_fields(c), "graph", error.what());
    }
    save();
  }
}

void measure_pair_power(const DeviceGroup& pair, const GroupOptions& options, ProfileTable& table, const SaveTable& save) {
  PairStep step(pair);
  for (const StepCase& c : every_nth(pair_power_cases(), options.every)) {
    step.build(c, options.seed);
    const auto ranks = step.sustained();
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      std::vector<std::string> row = shape_fields(c);
      const auto& r = ranks[rank];
      for (const std::string& field : {fmt::format("{}", rank), number(r.us_per_step), fmt::format("{:.0f}", r.sm_mhz), number(r.mean_w),
                                       number(r.window_s), fmt::format("{}", r.temperature_c)})
        row.push_back(field);
      table.add_raw(row);
    }
    save();
  }
}

}  // namespace rackwright::kernels
