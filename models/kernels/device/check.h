#pragma once

#include <cuda_runtime.h>

#include <source_location>
#include <stdexcept>
#include <string>

namespace rackwright::kernels {

/// A call into the driver or a library failed: the case at hand is skipped with this as its reason.
class DeviceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

[[noreturn]] inline void device_call_failed(const std::string& what, std::source_location where) {
  throw DeviceError(what + " (" + where.file_name() + ":" + std::to_string(where.line()) + ")");
}

/// Every CUDA call goes through here. Clears the sticky-less error so that the next case starts clean.
inline void check(cudaError_t status, std::source_location where = std::source_location::current()) {
  if (status == cudaSuccess) return;
  cudaGetLastError();
  device_call_failed(cudaGetErrorString(status), where);
}

/// After a kernel launch.
inline void check_launch(std::source_location where = std::source_location::current()) {
  check(cudaGetLastError(), where);
}

}  // namespace rackwright::kernels
