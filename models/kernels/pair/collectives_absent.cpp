#include "models/kernels/pair/collectives.h"
#include "models/kernels/pair/nccl_version.h"
#include "models/kernels/pair/pair_steps.h"

namespace rackwright::kernels {

std::string nccl_version() { return "none"; }

void measure_collectives(const DevicePair&, const PairOptions&, ProfileTable& table, const std::function<void()>&) {
  table.skip({"nccl", "all_reduce", "2", ""}, "graph", "built without NCCL");
}

// Without collectives there is no model cut over two devices.
void measure_pair_steps(const DevicePair&, const PairOptions&, ProfileTable&, const std::function<void()>&) {}
void measure_pair_power(const DevicePair&, const PairOptions&, ProfileTable&, const std::function<void()>&) {}

}  // namespace rackwright::kernels
