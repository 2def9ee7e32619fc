#pragma once

#include "scenarios/results/run_description.h"
#include "sim/metrics/run_layout.h"
#include "sim/metrics/run_observer.h"

namespace rackwright::test {

/// Steps of `duration` seconds that do not grow, drawing `power_w`.
inline metrics::Stretch stretch(std::uint32_t instance, double start_s, std::int64_t steps, double duration_s,
                                double power_w) {
  metrics::Stretch s;
  s.instance = instance;
  s.start = sim_time(start_s);
  s.steps = steps;
  s.cost.duration = sim_time(duration_s);
  s.cost.steps = steps;
  s.cost.power_mw = static_cast<std::int64_t>(power_w * 1000);
  s.cost.provenance = {0, 0, 0, 1, 0};
  s.cost.parts.memory_s = duration_s;
  s.end = s.start + steps * s.cost.duration;
  return s;
}

/// A completed request; times in seconds.
inline metrics::RequestOutcome request(std::uint64_t id, double arrival, double scheduled, double first, double last,
                                       std::int32_t output_tokens) {
  metrics::RequestOutcome r;
  r.id = id;
  r.arrival = sim_time(arrival);
  r.scheduled = sim_time(scheduled);
  r.first_token = sim_time(first);
  r.last_token = sim_time(last);
  r.input_tokens = 100;
  r.output_tokens = output_tokens;
  return r;
}

/// One pool "chat" of `instances` instances, idle at 100 W each, in a rack "a" of 10 U and 5 kW with 50 W always on.
inline results::RunDescription one_pool(std::uint32_t instances) {
  results::RunDescription run;
  run.version = "0.1.0";
  run.scenario = "synthetic";
  run.seed = 1;
  run.pools = {{"chat", "colocated", "llama-3.1-8b", "H200", "TP1", instances, 1, 16, false}};
  run.racks = {{"a", "hgx-h200-air", 5'000.0, 10.0}};
  run.classes = {{}};
  return run;
}

inline metrics::RunLayout one_pool_layout(std::uint32_t instances) {
  metrics::RunLayout layout;
  for (std::uint32_t i = 0; i < instances; ++i) layout.instances.push_back({0, 100'000, {{0, 1}}});
  layout.rack_base_power_mw = {50'000};
  return layout;
}

}  // namespace rackwright::test
