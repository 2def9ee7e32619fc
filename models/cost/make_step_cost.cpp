#include "models/cost/make_step_cost.h"

#include <fmt/format.h>

#include "models/cost/calibration.h"
#include "models/cost/composed_step_cost.h"
#include "models/cost/measured_cost.h"
#include "models/cost/roofline_cost.h"
#include "models/power/device_power.h"

namespace rackwright::cost {
namespace {

void check_power(const StepCostInputs& inputs, Diagnostics& diagnostics) {
  const hardware::DeviceSpec& device = inputs.device;
  const auto need = [&](const std::optional<double>& value, std::string_view field) {
    if (!value) diagnostics.error(inputs.where, inputs.path, fmt::format("the catalog does not know {} of {}", field, device.name),
                                  fmt::format("set {} of the device; the result is then marked as assumed", field));
  };
  need(device.idle_power_w, "idle_power_w");
  need(device.limit_power_w, "limit_power_w");
}

/// The link of the tensor and expert groups, when there is more than one device.
std::optional<ScaleUpSpec> scale_up_of(const StepCostInputs& inputs, Diagnostics& diagnostics) {
  const hardware::DeviceSpec& device = inputs.device;
  const llm::Parallelism& p = inputs.parallelism;
  if (llm::device_count(p) == 1) return std::nullopt;
  if (device.scale_up_domain && p.tensor * p.data > *device.scale_up_domain)
    diagnostics.error(inputs.where, inputs.path,
                      fmt::format("a stage of {} devices is larger than the scale-up domain of {} {}", p.tensor * p.data,
                                  *device.scale_up_domain, device.name));
  if (inputs.scale_up) return inputs.scale_up;
  if (device.scale_up_bytes_per_s) return scale_up_spec(device.scale_up_link, *device.scale_up_bytes_per_s);
  if (device.host_link_bytes_per_s) return scale_up_spec("pcie", *device.host_link_bytes_per_s);
  diagnostics.error(inputs.where, inputs.path, fmt::format("the catalog does not know scale_up_bytes_per_s of {}", device.name),
                    "several devices share this model, so the link between them must be known");
  return std::nullopt;
}

}  // namespace

std::unique_ptr<StepCostModel> make_step_cost(const StepCostInputs& inputs, Diagnostics& diagnostics) {
  const int errors_before = diagnostics.error_count();
  if (inputs.device.device_class == hardware::DeviceClass::sram)
    diagnostics.error(inputs.where, inputs.path, fmt::format("{} keeps weights in on-chip memory, which the roofline does not model", inputs.device.name));
  const llm::ShardedShape sharded = llm::shard(inputs.model, inputs.parallelism, inputs.where, inputs.path, diagnostics);
  check_roofline_inputs(inputs.device, inputs.where, inputs.path, diagnostics);
  check_power(inputs, diagnostics);
  const std::optional<ScaleUpSpec> scale_up = scale_up_of(inputs, diagnostics);
  if (diagnostics.error_count() > errors_before) return nullptr;

  if (inputs.profile == nullptr) {
    Efficiencies efficiencies = default_efficiencies(inputs.device);
    efficiencies.provenance = inputs.device_provenance;
    auto operators = std::make_shared<RooflineOperatorCost>(inputs.device, efficiencies, scale_up);
    return std::make_unique<ComposedStepCost>(sharded, std::move(operators), inputs.execution, power::datasheet_power(inputs.device));
  }
  OperatorProfile profile = *inputs.profile;
  if (scale_up && scale_up->ring_step_s)  // What the scenario states goes before what was measured.
    std::erase_if(profile.points, [](const ProfilePoint& point) { return point.place.key.family == ProfileFamily::collective; });
  auto others = std::make_shared<RooflineOperatorCost>(inputs.device, fit_efficiencies(profile, inputs.device), scale_up);
  auto operators = std::make_shared<MeasuredOperatorCost>(profile, inputs.device, std::move(others));
  const auto fitted_power = fit_power(profile, inputs.device);
  return std::make_unique<ComposedStepCost>(sharded, std::move(operators), inputs.execution,
                                            fitted_power ? *fitted_power : power::datasheet_power(inputs.device));
}

}  // namespace rackwright::cost
