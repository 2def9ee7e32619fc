#pragma once

#include "scenarios/spec/hall_spec.h"

namespace rackwright::v1 {
class Device;
class Facility;
}  // namespace rackwright::v1

namespace rackwright::scenarios {

class Findings;

/// The values of a resolved device, one whose presets are expanded.
hardware::DeviceSpec device_spec(const v1::Device& device);

/// The racks of a resolved facility. What a rack needs to stand at all (a node, its devices) and lacks is a finding.
HallSpec hall_spec(const v1::Facility& facility, Findings& findings);

}  // namespace rackwright::scenarios
