#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "models/kernels/device/device_facts.h"
#include "models/kernels/measure/accuracy.h"
#include "models/kernels/measure/clock_stamp.h"
#include "models/kernels/measure/mode.h"
#include "models/kernels/measure/operation.h"
#include "models/kernels/table/profile_table.h"

namespace rackwright::kernels {

/// Times operations on the current device: check, warm-up, repetitions on fresh inputs, check again.
///
/// A repetition refills the inputs, reads memory until the refill's dirty lines have left the L2 cache,
/// makes one call that is not timed (unless one call fills the repetition) and then `inner` calls between
/// two events; in graph mode those are nodes of the graph, so that its start-up is not counted. Twice as long a rest follows, so that the card
/// has the clock of a server below its power limit; the clock that each point really had is recorded with it.
class Bench {
 public:
  Bench(const DeviceFacts& facts, std::uint64_t seed);
  ~Bench();
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  /// Throws DeviceError when a call fails or the operation's result is wrong, before or after timing.
  TimedResult time(Operation& operation, Mode mode);

  /// One call, best of three after a correctness check: enough to plan a longer measurement.
  double quick_us(Operation& operation);

  cudaStream_t stream() const { return stream_; }
  Accuracy& accuracy() { return accuracy_; }
  /// Changes at every call.
  std::uint64_t next_seed() { return ++seed_; }

 private:
  void require_correct(Operation& operation, int slot);
  double estimate_us(Operation& operation);
  double elapsed_us() const;
  void flush_cache();

  static constexpr int repetitions = 20;

  std::uint64_t seed_;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t begin_ = nullptr;
  cudaEvent_t end_ = nullptr;
  ClockStamps stamps_;
  Accuracy accuracy_;
  std::size_t flush_elements_;
  __nv_bfloat16* flush_buffer_ = nullptr;
  float* flush_sum_ = nullptr;
};

}  // namespace rackwright::kernels
