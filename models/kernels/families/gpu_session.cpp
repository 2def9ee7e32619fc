#include "models/kernels/families/gpu_session.h"

#include <utility>

namespace rackwright::kernels {
namespace {

/// For libraries, graphs and the driver.
constexpr std::size_t spare_bytes = std::size_t{6} << 30;

std::size_t arena_bytes() {
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total));
  return free - spare_bytes;
}

}  // namespace

GpuSession::GpuSession(DeviceFacts facts, std::uint64_t seed, int every)
    : facts_(std::move(facts)),
      nvml_(facts_.pci_bus_id),
      bench_(facts_, seed),
      arena_(arena_bytes()),
      session_{facts_, nvml_, arena_, bench_, blas_lt_, blas_, cudnn_, seed, every} {}

}  // namespace rackwright::kernels
