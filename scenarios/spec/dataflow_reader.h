#pragma once

#include <string>

#include "scenarios/spec/hall_spec.h"
#include "scenarios/spec/pool_spec.h"

namespace rackwright::v1 {
class Device;
class Pool;
}

namespace rackwright::scenarios {

class Findings;

/// Fills in what only devices that keep weights on chip have, from a device and the rack around it.
void read_dataflow_device(const v1::Device& device, std::optional<double> scale_up_latency_s, hardware::DeviceSpec& spec);

/// Says how many devices an instance takes of those that the pool has, and what holds by default on such devices. On
/// others it only warns of what has no effect there.
void read_dataflow(const v1::Pool& written, const std::string& path, const RackGroupSpec& racks, PoolSpec& pool, Findings& findings);

}  // namespace rackwright::scenarios
