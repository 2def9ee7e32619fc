#pragma once

#include <optional>
#include <stop_token>

#include "sim/metrics/run_layout.h"
#include "sim/metrics/run_observer.h"
#include "sim/run/run_network.h"
#include "sim/serving/serving_system.h"
#include "traces/records/request.h"

namespace rackwright::run {

struct SimulationLimits {
  std::optional<SimTime> simulated_time;           ///< Stop then, with requests in flight reported so.
  SimTime no_progress = SimTime::max();            ///< Stop when for so long nothing was computed although requests wait.
  std::stop_token cancelled{};                     ///< Asked from outside, such as by a signal.
};

struct SimulationResult {
  metrics::RunEnd end;
  std::optional<NetworkTraffic> network;  ///< When the run had one.
  std::uint64_t events = 0;  ///< What the host paid for; differs with jumping, and is in no result.
};

/// Lets time pass until every request has left the system, or a limit stops the run. Throws InvariantViolation when a
/// conservation law breaks. Without a network nothing moves between instances.
SimulationResult simulate(const serving::ServingSpec& serving, traces::RequestSource& requests, metrics::RunObserver& observer,
                         const SimulationLimits& limits, const NetworkSetup* network = nullptr);

}  // namespace rackwright::run
