#pragma once

#include "scenarios/spec/fabric_spec.h"
#include "scenarios/spec/hall_spec.h"

namespace rackwright::v1 {
class Fabric;
}

namespace rackwright::scenarios {

class Findings;

/// The network of a resolved scenario: what `fabric` says, and for what it leaves open a rail-optimized leaf-spine of the
/// nodes' own cards. Racks that do not exist and sizes that do not fit are findings.
FabricSpec fabric_spec(const v1::Fabric& fabric, bool is_given, const HallSpec& hall, Findings& findings);

}  // namespace rackwright::scenarios
