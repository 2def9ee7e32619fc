#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/results/run_description.h"
#include "scenarios/spec/fabric_spec.h"
#include "scenarios/spec/hall_spec.h"
#include "scenarios/spec/pool_spec.h"
#include "scenarios/spec/routing_spec.h"
#include "scenarios/spec/station_spec.h"
#include "scenarios/spec/workload_spec.h"

namespace rackwright::scenarios {

/// How requests of one class are treated, beside their objectives.
struct ClassTreatment {
  std::int32_t priority = 0;  ///< Lower runs first.
  std::optional<double> timeout_s;
  std::string model;  ///< That serves the class; "" for the one that the request names.
};

/// A validated scenario as plain values, independent of the file it came from. Never changed after it was built.
struct ScenarioSpec {
  std::string name;
  std::string question;  ///< What the run is to answer; may be empty.
  std::uint64_t seed = 1;
  WorkloadSpec workload;
  std::vector<results::RequestClass> classes;  ///< The unnamed one first.
  std::vector<ClassTreatment> treatments;      ///< Of each class.
  HallSpec hall;
  FabricSpec fabric;
  std::vector<PoolSpec> pools;
  std::vector<StationSpec> stations;
  RoutingSpec routing;

  std::optional<double> timeline_period_s;
  double warm_up_s = 0;
  double cool_down_s = 0;
  std::optional<double> simulated_time_limit_s;
  double no_progress_limit_s = 0;
};

}  // namespace rackwright::scenarios
