#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/cost/step_cost.h"
#include "sim/metrics/run_observer.h"
#include "sim/serving/fixed_rate_transport.h"
#include "sim/serving/serving_system.h"
#include "tests/support/oracle_engine.h"
#include "traces/records/request.h"

/// Test doubles around a serving system: cost models that can be computed by hand, a list of requests, an observer
/// that remembers everything.
namespace rackwright::tests {

inline constexpr std::int64_t ms = 1'000'000'000;  ///< In picoseconds.

/// duration = base + per_prefill_token · prefill tokens + per_sequence · decodes + per_context_token · attended tokens,
/// in picoseconds; exact along a stretch, whose steps grow by per_context_token · decodes.
struct AffineCostModel : cost::StepCostModel {
  std::int64_t base = ms;
  std::int64_t per_prefill_token = 0;
  std::int64_t per_sequence = 0;
  std::int64_t per_context_token = 0;
  std::int64_t piece_steps = 1'000'000'000;  ///< A price holds for this long.
  std::optional<power::ClockControl> control;  ///< What holds the power, which falls with the clock.

  cost::StepCost price(const cost::StepShape& step, const cost::OperatingPoint& at) const override {
    std::int64_t prefill_tokens = 0;
    for (const cost::PrefillChunk& chunk : step.prefill) prefill_tokens += chunk.new_tokens;
    cost::StepCost cost;
    cost.duration.ps = base + per_prefill_token * prefill_tokens + per_sequence * step.decode_sequences +
                       per_context_token * step.decode_context_tokens;
    cost.growth.ps = per_context_token * step.decode_sequences;
    if (at.sm_clock != 1) {
      cost.duration = sim_time(cost.duration.seconds() / at.sm_clock);
      cost.growth = sim_time(cost.growth.seconds() / at.sm_clock);
    }
    cost.steps = piece_steps;
    cost.power_mw = 1000 * (1 + step.decode_sequences);
    if (control) cost.power_mw = std::max<std::int64_t>(static_cast<std::int64_t>(static_cast<double>(cost.power_mw) * at.sm_clock), 100);
    return cost;
  }
  std::int64_t idle_power_mw() const override { return 100; }
  std::optional<power::ClockControl> clock_control() const override { return control; }
};

/// Requests from a list, in its order.
class ListSource final : public traces::RequestSource {
 public:
  explicit ListSource(std::vector<traces::Request> requests, std::vector<std::string> names = {""})
      : requests_(std::move(requests)), names_(std::move(names)) {
    for (std::size_t i = 0; i < requests_.size(); ++i) requests_[i].id = i;
  }
  bool next(traces::Request& request) override {
    if (at_ == requests_.size()) return false;
    request = requests_[at_++];
    return true;
  }
  std::string_view name(std::uint32_t id) const override { return names_[id]; }

 private:
  std::vector<traces::Request> requests_;
  std::vector<std::string> names_;
  std::size_t at_ = 0;
};

inline traces::Request request(std::int64_t arrival_ps, std::int32_t input, std::int32_t output) {
  traces::Request made;
  made.arrival.ps = arrival_ps;
  made.input_tokens = input;
  made.output_tokens = output;
  return made;
}

struct RecordingObserver final : metrics::RunObserver {
  std::vector<metrics::RequestOutcome> requests;
  std::vector<metrics::Stretch> stretches;
  std::vector<metrics::TokenGaps> gaps;
  std::vector<metrics::PoweredInterval> powered;
  std::vector<metrics::StationUse> uses;
  std::vector<metrics::StationJob> jobs;

  void on_request(const metrics::RequestOutcome& outcome) override { requests.push_back(outcome); }
  void on_stretch(const metrics::Stretch& stretch) override { stretches.push_back(stretch); }
  void on_token_gaps(const metrics::TokenGaps& gap) override { gaps.push_back(gap); }
  void on_powered(const metrics::PoweredInterval& interval) override { powered.push_back(interval); }
  void on_station_use(const metrics::StationUse& use) override { uses.push_back(use); }
  void on_station_job(const metrics::StationJob& job) override { jobs.push_back(job); }

  const metrics::RequestOutcome& of(std::uint64_t id) const {
    for (const metrics::RequestOutcome& outcome : requests)
      if (outcome.id == id) return outcome;
    throw std::out_of_range("no such request was reported");
  }
  std::int64_t steps() const {
    std::int64_t sum = 0;
    for (const metrics::Stretch& stretch : stretches) sum += stretch.steps;
    return sum;
  }
};

/// How long KV is on its way: setup + bytes / rate.
struct TransportTimes {
  double setup_s = 0;
  double bytes_per_s = 1;
};

/// One run of `spec` over `requests` on the oracle engine.
struct ServingRun {
  RecordingObserver observer;
  serving::ServingCounts counts;
  std::optional<serving::Stall> stall;
  std::vector<results::KvTierUse> tiers;
};

inline ServingRun run_serving(const serving::ServingSpec& spec, std::vector<traces::Request> requests,
                              std::vector<std::string> names = {""}, TransportTimes times = {}) {
  ServingRun run;
  OracleEngine engine;
  ListSource source(std::move(requests), std::move(names));
  serving::FixedRateTransport transport(engine, times.setup_s, times.bytes_per_s);
  serving::ServingSystem system(engine, spec, source, run.observer, &transport);
  system.start();
  engine.run();
  system.close();
  run.stall = system.finish();
  run.counts = system.counts();
  run.tiers = system.kv_tiers();
  return run;
}

}  // namespace rackwright::tests
