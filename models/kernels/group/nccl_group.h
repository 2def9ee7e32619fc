#pragma once

#include <nccl.h>

#include <source_location>
#include <vector>

#include "models/kernels/group/device_group.h"

namespace rackwright::kernels {

/// Every call of the library goes through here. Throws DeviceError.
void check_nccl(ncclResult_t status, std::source_location where = std::source_location::current());

/// One communicator a rank.
class NcclGroup {
 public:
  explicit NcclGroup(const DeviceGroup& group);
  ~NcclGroup();
  NcclGroup(const NcclGroup&) = delete;
  NcclGroup& operator=(const NcclGroup&) = delete;

  ncclComm_t of(int rank) const { return ranks_[static_cast<std::size_t>(rank)]; }

 private:
  std::vector<ncclComm_t> ranks_;
};

}  // namespace rackwright::kernels
