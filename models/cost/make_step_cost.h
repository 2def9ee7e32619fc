#pragma once

#include <memory>
#include <optional>
#include <string>

#include "models/base/diagnostic.h"
#include "models/cost/collective_cost.h"
#include "models/cost/dataflow_plan.h"
#include "models/cost/execution_spec.h"
#include "models/cost/operator_profile.h"
#include "models/cost/step_cost.h"
#include "models/hardware/device_spec.h"
#include "models/llm/sharding.h"

namespace rackwright::cost {

/// All that the cost of an instance's steps depends on.
struct StepCostInputs {
  llm::ModelShape model;
  llm::Parallelism parallelism;
  hardware::DeviceSpec device;
  std::optional<ScaleUpSpec> scale_up;  ///< Absent: from the device's own link.
  std::optional<ScaleUpSpec> stage_link;  ///< Between pipeline stages; absent: as `scale_up`.
  ExecutionSpec execution;
  std::optional<DataflowPlan> dataflow;  ///< How the model lies on devices of class sram, which need it; then neither
                                         ///< `parallelism` nor launches and host time of `execution` have an effect.
  /// Measured operators of the device, or none. What it does not hold is priced by a roofline fitted to it, and power
  /// comes from it where it has enough loads.
  std::shared_ptr<const OperatorProfile> profile;
  /// Measured operators of another device, whose efficiencies price this one's, or none; used where there is no profile.
  std::shared_ptr<const OperatorProfile> lent_profile;
  hardware::DeviceSpec lender;
  /// What figures of the device are worth that no measurement backs: `assumed` when the scenario supplied some.
  Provenance device_provenance = Provenance::datasheet;
  Location where;    ///< Where findings point.
  std::string path;  ///< "deployment[0]".
};

/// The cost model of one instance, or null with the reasons as errors: degrees that do not fit the model, figures of the
/// device that are not known, a tensor group larger than its scale-up domain.
std::unique_ptr<StepCostModel> make_step_cost(const StepCostInputs& inputs, Diagnostics& diagnostics);

}  // namespace rackwright::cost
