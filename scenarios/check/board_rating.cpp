#include "scenarios/check/board_rating.h"

#include "scenarios/catalog/catalog.h"
#include "scenarios/schema/hardware.pb.h"

namespace rackwright::scenarios {

std::optional<double> rated_power_w(const Catalog& catalog, const std::string& device) {
  const auto* entry = dynamic_cast<const v1::Device*>(catalog.find("device", device));
  if (entry == nullptr || !entry->power().has_limit()) return std::nullopt;
  return entry->power().limit();
}

}  // namespace rackwright::scenarios
