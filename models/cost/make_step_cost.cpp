#include "models/cost/make_step_cost.h"

#include <fmt/format.h>

#include "models/base/invariant.h"
#include "models/cost/calibration.h"
#include "models/cost/composed_step_cost.h"
#include "models/cost/dataflow_step_cost.h"
#include "models/cost/measured_cost.h"
#include "models/cost/roofline_cost.h"
#include "models/cost/stage_link_cost.h"
#include "models/power/device_power.h"

namespace rackwright::cost {
namespace {

/// From the profile's loads, the datasheet, or nothing: steps of a device whose power is not known draw none.
power::DevicePower power_of(const StepCostInputs& inputs) {
  if (!inputs.device.idle_power_w || !inputs.device.limit_power_w) return {.taken_at_most_w = 0};
  if (inputs.profile) {
    if (const auto fitted = fit_power(*inputs.profile, inputs.device)) return *fitted;
  }
  return power::datasheet_power(inputs.device);
}

/// The same, with a warning where the board would have to run slower than it can to stay within its limit.
power::DevicePower held_power_of(const StepCostInputs& inputs, Diagnostics& diagnostics) {
  const power::DevicePower power = power_of(inputs);
  const double least_w = power::least_busy_power_w(power);
  if (inputs.device.limit_power_w && least_w > *inputs.device.limit_power_w) {
    diagnostics.warning(inputs.where, inputs.path,
                        fmt::format("the power limit of {:.4g} W does not hold {}: at its lowest clock, {:.0f} % of full, it draws at least {:.4g} W while it works",
                                    *inputs.device.limit_power_w, inputs.device.name, power.min_clock * 100, least_w));
  }
  return power;
}

/// The link of the tensor and expert groups, when there is more than one device.
std::optional<ScaleUpSpec> scale_up_of(const StepCostInputs& inputs, Diagnostics& diagnostics) {
  const hardware::DeviceSpec& device = inputs.device;
  const llm::Parallelism& p = inputs.parallelism;
  if (llm::device_count(p) == 1) return std::nullopt;
  const bool has_network = inputs.scale_up && inputs.scale_up->domain_ranks > 0;
  if (device.scale_up_domain && llm::stage_devices(p) > *device.scale_up_domain && !has_network)
    diagnostics.error(inputs.where, inputs.path,
                      fmt::format("a stage of {} devices is larger than the scale-up domain of {} {}", llm::stage_devices(p),
                                  *device.scale_up_domain, device.name));
  if (inputs.scale_up) return inputs.scale_up;
  if (device.scale_up_bytes_per_s) return scale_up_spec(device.scale_up_link, *device.scale_up_bytes_per_s);
  if (device.host_link_bytes_per_s) return scale_up_spec("pcie", *device.host_link_bytes_per_s);
  diagnostics.error(inputs.where, inputs.path, fmt::format("the catalog does not know scale_up_bytes_per_s of {}", device.name),
                    "several devices share this model, so the link between them must be known");
  return std::nullopt;
}

std::shared_ptr<const OperatorCostModel> with_stage_link(std::shared_ptr<const OperatorCostModel> operators, const StepCostInputs& inputs) {
  if (!inputs.stage_link) return operators;
  return std::make_shared<StageLinkCost>(std::move(operators), *inputs.stage_link);
}

std::unique_ptr<StepCostModel> make_dataflow_step_cost(const StepCostInputs& inputs, Diagnostics& diagnostics) {
  invariant(inputs.dataflow.has_value(), "a model on dataflow devices has a plan");
  const int errors_before = diagnostics.error_count();
  check_dataflow_inputs(inputs.model, inputs.device, *inputs.dataflow, inputs.where, inputs.path, diagnostics);
  const llm::ShardedShape whole = llm::shard(inputs.model, {}, inputs.where, inputs.path, diagnostics);
  if (diagnostics.error_count() > errors_before) return nullptr;
  const auto operators_of = [&](DataflowOperatorCost::Tokens tokens) {
    return std::make_shared<DataflowOperatorCost>(inputs.model, inputs.device, *inputs.dataflow, inputs.device_provenance, tokens);
  };
  const bool power_is_known = inputs.device.idle_power_w && inputs.device.limit_power_w;
  const double idle_w = power_is_known ? *inputs.device.idle_power_w : 0;
  const double limit_w = power_is_known ? *inputs.device.limit_power_w : 0;
  const DataflowLimits limits{inputs.execution.max_sequences, idle_w, limit_w, inputs.execution.part};
  return std::make_unique<DataflowStepCost>(whole, *inputs.dataflow, operators_of(DataflowOperatorCost::Tokens::decodes),
                                            operators_of(DataflowOperatorCost::Tokens::prompts), limits);
}

}  // namespace

std::unique_ptr<StepCostModel> make_step_cost(const StepCostInputs& inputs, Diagnostics& diagnostics) {
  if (inputs.device.device_class == hardware::DeviceClass::sram) return make_dataflow_step_cost(inputs, diagnostics);
  const int errors_before = diagnostics.error_count();
  const llm::ShardedShape sharded = llm::shard(inputs.model, inputs.parallelism, inputs.where, inputs.path, diagnostics);
  check_roofline_inputs(inputs.device, inputs.where, inputs.path, diagnostics);
  const std::optional<ScaleUpSpec> scale_up = scale_up_of(inputs, diagnostics);
  if (diagnostics.error_count() > errors_before) return nullptr;

  if (inputs.profile == nullptr) {
    Efficiencies efficiencies = default_efficiencies(inputs.device);
    efficiencies.provenance = inputs.device_provenance;
    if (inputs.lent_profile) efficiencies = carried_efficiencies(*inputs.lent_profile, inputs.lender, inputs.device);
    std::shared_ptr<const OperatorCostModel> operators = std::make_shared<RooflineOperatorCost>(inputs.device, efficiencies, scale_up);
    return std::make_unique<ComposedStepCost>(sharded, with_stage_link(std::move(operators), inputs), inputs.execution, held_power_of(inputs, diagnostics));
  }
  OperatorProfile profile = *inputs.profile;
  if (scale_up && scale_up->ring_step_s)  // What the scenario states goes before what was measured.
    std::erase_if(profile.points, [](const ProfilePoint& point) { return point.place.key.family == ProfileFamily::collective; });
  auto others = std::make_shared<RooflineOperatorCost>(inputs.device, fit_efficiencies(profile, inputs.device), scale_up);
  auto operators = std::make_shared<MeasuredOperatorCost>(profile, inputs.device, std::move(others), scale_up);
  return std::make_unique<ComposedStepCost>(sharded, with_stage_link(std::move(operators), inputs), inputs.execution, held_power_of(inputs, diagnostics));
}

}  // namespace rackwright::cost
