#pragma once

#include <nccl.h>

#include <array>
#include <source_location>

#include "models/kernels/pair/device_pair.h"

namespace rackwright::kernels {

/// Every call of the library goes through here. Throws DeviceError.
void check_nccl(ncclResult_t status, std::source_location where = std::source_location::current());

/// One communicator a rank.
class NcclPair {
 public:
  explicit NcclPair(const DevicePair& pair);
  ~NcclPair();
  NcclPair(const NcclPair&) = delete;
  NcclPair& operator=(const NcclPair&) = delete;

  ncclComm_t of(int rank) const { return ranks_[static_cast<std::size_t>(rank)]; }

 private:
  std::array<ncclComm_t, 2> ranks_{};
};

}  // namespace rackwright::kernels
