#pragma once

#include <cuda_runtime.h>

#include <array>
#include <cstddef>
#include <functional>
#include <vector>

#include "models/kernels/table/profile_table.h"

namespace rackwright::kernels {

/// One of the two devices, with a stream and two buffers of a gigabyte and a bit.
struct PairSide {
  int device = 0;
  cudaStream_t stream = nullptr;
  cudaEvent_t begin = nullptr;
  cudaEvent_t end = nullptr;
  std::byte* send = nullptr;
  std::byte* receive = nullptr;
};

/// Devices 0 and 1 with access to each other's memory.
class DevicePair {
 public:
  static constexpr std::size_t buffer_bytes = std::size_t{1} << 30;

  /// Throws EnvironmentError when there are not two such devices.
  DevicePair();
  ~DevicePair();
  DevicePair(const DevicePair&) = delete;
  DevicePair& operator=(const DevicePair&) = delete;

  const PairSide& side(int rank) const { return sides_[rank]; }
  /// Runs `work(rank)` on two threads at once, each with its device current, and rethrows what either threw.
  void on_both(const std::function<void(int rank)>& work) const;
  /// Fresh random values in both send buffers, NaN in both receive buffers.
  void refresh(std::size_t bytes, std::uint64_t seed) const;

 private:
  std::array<PairSide, 2> sides_;
};

/// One timing that several repetitions share: what each rank enqueues for one call, and on which ranks.
struct PairCall {
  std::function<void(int rank)> enqueue;
  bool both = true;   ///< false: rank 0 alone.
  bool graph = false;
};

/// Times `call`: repetitions start together, each lasts `inner` calls, and the slower rank counts.
TimedResult time_pair(const DevicePair& pair, const PairCall& call);

}  // namespace rackwright::kernels
