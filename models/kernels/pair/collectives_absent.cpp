#include "models/kernels/pair/collectives.h"
#include "models/kernels/pair/nccl_version.h"

namespace rackwright::kernels {

std::string nccl_version() { return "none"; }

void measure_collectives(const DevicePair&, const PairOptions&, ProfileTable& table, const std::function<void()>&) {
  table.skip({"nccl", "all_reduce", "2", ""}, "graph", "built without NCCL");
}

}  // namespace rackwright::kernels
