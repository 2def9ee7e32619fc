#include "models/kernels/group/nccl_group.h"

#include <string>

#include "models/kernels/device/check.h"

namespace rackwright::kernels {

void check_nccl(ncclResult_t status, std::source_location where) {
  if (status != ncclSuccess) device_call_failed(std::string("NCCL: ") + ncclGetErrorString(status), where);
}

NcclGroup::NcclGroup(const DeviceGroup& group) : ranks_(static_cast<std::size_t>(group.ranks())) {
  ncclUniqueId id;
  check_nccl(ncclGetUniqueId(&id));
  group.on_all([&](int rank) { check_nccl(ncclCommInitRank(&ranks_[static_cast<std::size_t>(rank)], group.ranks(), id, rank)); });
}

NcclGroup::~NcclGroup() {
  for (ncclComm_t rank : ranks_) ncclCommDestroy(rank);
}

}  // namespace rackwright::kernels
