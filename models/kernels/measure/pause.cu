#include "models/kernels/device/check.h"
#include "models/kernels/measure/pause.h"

namespace rackwright::kernels {
namespace {

__global__ void sleep_until_passed(long long nanoseconds) {
  long long start, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
  do {
    __nanosleep(500);
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - start < nanoseconds);
}

__global__ void nothing() {}

}  // namespace

void device_pause(double us, cudaStream_t stream) {
  sleep_until_passed<<<1, 1, 0, stream>>>(static_cast<long long>(1e3 * us));
  check_launch();
}

void empty_kernel(cudaStream_t stream) {
  nothing<<<1, 1, 0, stream>>>();
  check_launch();
}

}  // namespace rackwright::kernels
