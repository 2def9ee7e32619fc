#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "models/kernels/measure/accuracy.h"
#include "models/kernels/measure/clock_stamp.h"
#include "models/kernels/measure/operation.h"
#include "models/kernels/table/profile_table.h"

namespace rackwright::kernels {

enum class Mode { graph, eager };

/// Times operations on the current device: check, warm-up, repetitions on fresh inputs, check again.
///
/// A repetition refills the inputs, then runs `inner` calls between two events (in graph mode they are
/// nodes of the graph, so that its start-up is not counted). Repetitions longer than
/// a millisecond are followed by as much rest, so that the card stays near the clock it has in a lightly
/// loaded server; the clock that each point really had is recorded with it.
class Bench {
 public:
  Bench(int sms, std::uint64_t seed);
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

  static constexpr int repetitions = 20;

  std::uint64_t seed_;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t begin_ = nullptr;
  cudaEvent_t end_ = nullptr;
  ClockStamps stamps_;
  Accuracy accuracy_;
};

}  // namespace rackwright::kernels
