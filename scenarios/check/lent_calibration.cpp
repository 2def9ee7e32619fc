#include "scenarios/check/lent_calibration.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "models/cost/calibration.h"
#include "models/cost/roofline_cost.h"
#include "scenarios/catalog/catalog.h"
#include "scenarios/schema/hardware.pb.h"
#include "scenarios/spec/findings.h"
#include "scenarios/spec/hall_reader.h"

namespace rackwright::scenarios {

void lend_calibration(const RackGroupSpec& racks, const std::string& pool_path, const Catalog& catalog, cost::StepCostInputs& inputs,
                      Findings& findings) {
  if (racks.calibrated_from.empty() || inputs.profile != nullptr) return;
  const auto* lender = dynamic_cast<const v1::Device*>(catalog.find("device", racks.calibrated_from));
  const auto profile = lender == nullptr ? nullptr : catalog.profile(lender->profile());
  if (profile == nullptr) {
    findings.error(pool_path + ".on", fmt::format("'{}' has no measured profile to calibrate {} from", racks.calibrated_from, racks.device.name),
                   "name a measured device, such as h200-sxm");
    return;
  }
  inputs.lent_profile = profile;
  const hardware::DeviceSpec measured = device_spec(*lender);
  std::vector<std::string> bands;
  const cost::RooflineOperatorCost lent(measured, cost::carried_efficiencies(*profile, measured, measured), std::nullopt);
  for (const cost::FitQuality& one : cost::fit_quality(lent, profile->check))
    bands.push_back(fmt::format("{} {:.0f} %, {:.0f} %", one.operator_class, one.p50 * 100, one.p95 * 100));
  findings.warning(pool_path + ".on", fmt::format("operators of {} take the share of the peaks that {} reaches at their intensity and size; on {} itself that is off by, "
                                                  "p50 and p95: {}; on another device by more", racks.device.name, racks.calibrated_from, racks.calibrated_from, fmt::join(bands, "; ")));
  inputs.lender = measured;
}

}  // namespace rackwright::scenarios
