#pragma once

#include <cuda_runtime.h>

namespace rackwright::kernels {

/// A word in host memory that streams of every device wait for, so that their work starts within a poll over the host
/// link of each other, however far apart the hosts' threads enqueued it.
class StartGate {
 public:
  StartGate();
  ~StartGate();
  StartGate(const StartGate&) = delete;
  StartGate& operator=(const StartGate&) = delete;

  /// What follows on `stream` of the current device starts once the gate has been opened for `turn`, or after 50 ms,
  /// so that a host that failed hangs nothing.
  void hold(cudaStream_t stream, unsigned turn) const;
  void open(unsigned turn) const;
  /// The last turn that it was opened for.
  unsigned turn() const;

 private:
  volatile unsigned* opened_ = nullptr;
};

}  // namespace rackwright::kernels
