#include "models/kernels/device/arena.h"

#include "models/kernels/device/check.h"

namespace rackwright::kernels {

Arena::Arena(std::size_t bytes) : size_(bytes) {
  check(cudaMalloc(reinterpret_cast<void**>(&base_), bytes));
}

Arena::~Arena() { cudaFree(base_); }

void* Arena::take_bytes(std::size_t bytes) {
  constexpr std::size_t alignment = 1024;
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  if (rounded > free_bytes()) throw DeviceError("needs more than the share of device memory set aside");
  void* result = base_ + used_;
  used_ += rounded;
  return result;
}

}  // namespace rackwright::kernels
