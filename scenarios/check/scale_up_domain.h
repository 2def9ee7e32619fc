#pragma once

#include <algorithm>

#include "scenarios/spec/hall_spec.h"

namespace rackwright::scenarios {

/// Whether all devices of both ranges lie in one scale-up domain.
inline bool share_scale_up_domain(const DeviceRange& a, const DeviceRange& b, const HallSpec& hall) {
  if (a.group != b.group) return false;
  const int size = hall.groups[static_cast<std::size_t>(a.group)].scale_up_devices;
  return std::min(a.first, b.first) / size == std::max(a.last, b.last) / size;
}

}  // namespace rackwright::scenarios
