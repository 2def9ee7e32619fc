#include "tests/support/demo_run.h"

#include <algorithm>
#include <cmath>
#include <deque>

#include "models/base/random.h"

namespace rackwright::test {
namespace {

struct Running {
  metrics::RequestOutcome outcome;
  std::int32_t left = 0;
};

struct Instance {
  std::deque<metrics::RequestOutcome> waiting;
  std::vector<Running> running;
  SimTime free_at;
  std::int64_t kv_tokens = 0;
};

constexpr std::int64_t kv_blocks = 12'000;
constexpr std::int32_t block_tokens = 16;
constexpr std::size_t most_sequences = 96;

}  // namespace

DemoRun::DemoRun(int requests) : requests_(requests) {
  description_.version = "0.1.0";
  description_.scenario = "Two racks, one rush hour";
  description_.seed = 7;
  description_.pools = {{"chat", "colocated", "Llama-3.1-70B", "H200", "TP4", 3, 4, block_tokens, true},
                        {"code", "colocated", "Qwen3-32B", "H200", "TP4", 1, 4, block_tokens, true}};
  description_.racks = {{"a", "hgx-h200-air", 24'000.0, 16.0}, {"b", "hgx-h200-air", 24'000.0, 16.0}};
  using results::LatencyMetric;
  description_.classes = {{"", {{LatencyMetric::ttft, 0.99, sim_time(0.5)}, {LatencyMetric::tpot, 0.99, sim_time(0.025)}}}};
  description_.inputs = {{"scenario", "two_racks.yaml", 0x51f0c2a9d3b84e77},
                         {"trace", "generated: rush-hour", 0x9e3779b97f4a7c15}};
  description_.trace_report = {"a made-up stream with a rush in the middle"};
  description_.resolved_scenario =
      "schema: rackwright/v1\nname: Two racks, one rush hour\nseed: 7\nworkload:\n  generator: poisson\n";
  for (std::uint32_t i = 0; i < 4; ++i) layout_.instances.push_back({i < 3 ? 0u : 1u, 4 * 75'000, {{i / 2, 4}}});
  layout_.rack_base_power_mw = {1'850'000, 1'850'000};
}

metrics::RunEnd DemoRun::report_to(const std::vector<metrics::RunObserver*>& observers) const {
  RandomStream random(7, "demo", "arrivals");
  std::vector<Instance> instances(4);
  std::vector<metrics::RequestOutcome> arrivals;
  double now = 0;
  const double span = requests_ / 6.0;
  for (int id = 0; id < requests_; ++id) {
    const double rush = std::exp(-std::pow((now / span - 0.55) / 0.12, 2));
    now += -std::log(1 - random.uniform()) / (4.4 + 5.5 * rush);
    metrics::RequestOutcome r;
    r.id = static_cast<std::uint64_t>(id);
    r.arrival = sim_time(now);
    r.instance = static_cast<std::uint32_t>(id % 4);
    r.pool = r.instance < 3 ? 0 : 1;
    r.input_tokens = static_cast<std::int32_t>(20 + 1'500 * std::pow(random.uniform(), 2));
    r.output_tokens = static_cast<std::int32_t>(2 + 420 * std::pow(random.uniform(), 1.5));
    r.cached_input_tokens = id % 3 == 0 ? r.input_tokens / 2 : 0;
    arrivals.push_back(r);
  }
  std::size_t next = 0;
  SimTime last_event;
  while (true) {
    // The instance whose next step starts first.
    std::size_t which = instances.size();
    SimTime start = SimTime::max();
    for (std::size_t i = 0; i < instances.size(); ++i) {
      const Instance& instance = instances[i];
      if (instance.running.empty() && instance.waiting.empty()) continue;
      const SimTime ready =
          instance.running.empty() ? std::max(instance.free_at, instance.waiting.front().arrival) : instance.free_at;
      if (ready < start) {
        start = ready;
        which = i;
      }
    }
    if (next < arrivals.size() && arrivals[next].arrival <= start) {
      instances[arrivals[next].instance].waiting.push_back(arrivals[next]);
      ++next;
      continue;
    }
    if (which == instances.size()) break;

    Instance& instance = instances[which];
    metrics::Stretch step;
    step.instance = static_cast<std::uint32_t>(which);
    step.pool = which < 3 ? 0 : 1;
    step.start = start;
    step.decode_sequences = static_cast<std::int32_t>(instance.running.size());
    step.waiting = static_cast<std::int32_t>(instance.waiting.size());
    for (Running& running : instance.running) running.left -= 1;
    instance.kv_tokens += step.decode_sequences;
    if (!instance.waiting.empty() && instance.running.size() < most_sequences) {
      metrics::RequestOutcome admitted = instance.waiting.front();
      instance.waiting.pop_front();
      admitted.scheduled = start;
      step.prefill_sequences = 1;
      step.prefill_tokens = admitted.input_tokens - admitted.cached_input_tokens;
      instance.kv_tokens += admitted.input_tokens;
      instance.running.push_back({admitted, admitted.output_tokens - 1});
    }
    const double host_s = 0.0012;
    const double memory_s = 0.0068 + 1e-8 * static_cast<double>(instance.kv_tokens);
    const double compute_s = 2.6e-5 * step.prefill_tokens + 3e-5 * step.decode_sequences;
    const double link_s = 0.0011;
    step.cost.parts = {compute_s, memory_s, link_s, host_s};
    step.cost.duration = sim_time(compute_s + memory_s + link_s + host_s);
    step.cost.power_mw = static_cast<std::int64_t>(
        4 * (260'000 + 4'300.0 * step.decode_sequences + (step.prefill_sequences > 0 ? 60'000 : 0)));
    step.cost.provenance = {step.pool == 0 ? 0.81f : 0.f, step.pool == 0 ? 0.07f : 0.2f, step.pool == 0 ? 0.f : 0.45f,
                            0.12f, 0.f};
    step.cost.provenance[4] =
        1 - step.cost.provenance[0] - step.cost.provenance[1] - step.cost.provenance[2] - step.cost.provenance[3];
    step.end = start + step.cost.duration;
    step.kv_tokens = instance.kv_tokens;
    step.kv_blocks = kv_blocks;
    step.kv_blocks_used =
        std::min(kv_blocks, instance.kv_tokens / block_tokens + static_cast<std::int64_t>(instance.running.size()));
    instance.free_at = step.end;
    last_event = std::max(last_event, step.end);
    for (metrics::RunObserver* observer : observers) {
      observer->on_stretch(step);
      observer->on_token_gaps({step.pool, step.cost.duration, {}, 1, step.decode_sequences, start});
    }
    if (step.prefill_sequences == 1) instance.running.back().outcome.first_token = step.end;
    for (Running& running : instance.running)
      running.outcome.longest_gap = std::max(running.outcome.longest_gap, step.cost.duration);
    std::erase_if(instance.running, [&](Running& running) {
      if (running.left > 0) return false;
      running.outcome.last_token = step.end;
      instance.kv_tokens -= running.outcome.input_tokens + running.outcome.output_tokens - 1;
      for (metrics::RunObserver* observer : observers) observer->on_request(running.outcome);
      return true;
    });
  }
  return {.first_arrival = arrivals.empty() ? SimTime{} : arrivals.front().arrival,
          .last_event = last_event,
          .requests_total = requests_};
}

}  // namespace rackwright::test
