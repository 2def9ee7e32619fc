#include "scenarios/check/lent_calibration.h"

#include <fmt/format.h>

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
  inputs.lender = device_spec(*lender);
}

}  // namespace rackwright::scenarios
