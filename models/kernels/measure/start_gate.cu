#include "models/kernels/device/check.h"
#include "models/kernels/measure/start_gate.h"

namespace rackwright::kernels {
namespace {

constexpr long long patience_ns = 50'000'000;

__device__ long long device_ns() {
  long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

__global__ void wait_for_turn(const volatile unsigned* opened, unsigned turn) {
  const long long start = device_ns();
  while (static_cast<int>(*opened - turn) < 0 && device_ns() - start < patience_ns) {
  }
}

}  // namespace

StartGate::StartGate() {
  void* word = nullptr;
  check(cudaHostAlloc(&word, sizeof(unsigned), cudaHostAllocPortable | cudaHostAllocMapped));
  opened_ = static_cast<volatile unsigned*>(word);
  *opened_ = 0;
}

StartGate::~StartGate() { cudaFreeHost(const_cast<unsigned*>(opened_)); }

void StartGate::hold(cudaStream_t stream, unsigned turn) const {
  wait_for_turn<<<1, 1, 0, stream>>>(opened_, turn);
  check_launch();
}

void StartGate::open(unsigned turn) const { *opened_ = turn; }

unsigned StartGate::turn() const { return *opened_; }

}  // namespace rackwright::kernels
