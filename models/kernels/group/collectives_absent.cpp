#include "models/kernels/group/collectives.h"
#include "models/kernels/group/nccl_version.h"
#include "models/kernels/pair/pair_steps.h"

namespace rackwright::kernels {

std::string nccl_version() { return "none"; }

void measure_collectives(const DeviceGroup&, const GroupOptions&, ProfileTable& table, const SaveTable&) {
  table.skip({"nccl", "all_reduce", "2", ""}, "graph", "built without NCCL");
}

// Without collectives there is no model cut over two devices.
void measure_pair_steps(const DeviceGroup&, const GroupOptions&, ProfileTable&, const SaveTable&) {}
void measure_pair_power(const DeviceGroup&, const GroupOptions&, ProfileTable&, const SaveTable&) {}

}  // namespace rackwright::kernels
