#include "models/kernels/pair/nccl_pair.h"

#include <string>

#include "models/kernels/device/check.h"

namespace rackwright::kernels {

void check_nccl(ncclResult_t status, std::source_location where) {
  if (status != ncclSuccess) device_call_failed(std::string("NCCL: ") + ncclGetErrorString(status), where);
}

NcclPair::NcclPair(const DevicePair& pair) {
  ncclUniqueId id;
  check_nccl(ncclGetUniqueId(&id));
  pair.on_both([&](int rank) { check_nccl(ncclCommInitRank(&ranks_[static_cast<std::size_t>(rank)], 2, id, rank)); });
}

NcclPair::~NcclPair() {
  for (ncclComm_t rank : ranks_) ncclCommDestroy(rank);
}

}  // namespace rackwright::kernels
