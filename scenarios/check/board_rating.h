#pragma once

#include <optional>
#include <string>

namespace rackwright::scenarios {

class Catalog;

/// The power limit that the catalog gives a device, in watts; nothing for a device that is not in it.
std::optional<double> rated_power_w(const Catalog& catalog, const std::string& device);

}  // namespace rackwright::scenarios
