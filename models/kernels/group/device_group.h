#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "models/kernels/measure/start_gate.h"

namespace rackwright::kernels {

/// One device of a group, with a stream and two buffers.
struct GroupSide {
  int device = 0;
  cudaStream_t stream = nullptr;
  cudaEvent_t begin = nullptr;
  cudaEvent_t end = nullptr;
  std::byte* send = nullptr;
  std::byte* receive = nullptr;
};

/// The first devices of the machine, with access to each other's memory. A copy shares its devices.
class DeviceGroup {
 public:
  static constexpr std::size_t buffer_bytes = std::size_t{1} << 30;

  /// How many devices the machine has; 0 without a driver.
  static int devices();

  /// Throws EnvironmentError when there are fewer than two, or fewer than `ranks`, or they do not reach each other's memory.
  explicit DeviceGroup(int ranks);

  /// The same devices, the first `ranks` of them.
  DeviceGroup first(int ranks) const { return {owned_, ranks}; }

  int ranks() const { return ranks_; }
  const GroupSide& side(int rank) const;
  const StartGate& gate() const;
  /// Runs `work(rank)` on a thread for each rank at once, each with its device current, and rethrows what one of them threw.
  void on_all(const std::function<void(int rank)>& work) const;

 private:
  struct Owned;
  DeviceGroup(std::shared_ptr<const Owned> owned, int ranks) : owned_(std::move(owned)), ranks_(ranks) {}

  std::shared_ptr<const Owned> owned_;
  int ranks_;
};

/// Fresh random values in the first `send_bytes` of a send buffer, NaN in the first `receive_bytes` of the other, both
/// multiples of 16. Its device is current; waits for its stream.
void refresh(const GroupSide& side, std::size_t send_bytes, std::size_t receive_bytes, std::uint64_t seed);

}  // namespace rackwright::kernels
