#pragma once

#include <chrono>

namespace rackwright::kernels {

/// Seconds since a run began, one clock for all sides of it.
class RunClock {
 public:
  RunClock() : start_(std::chrono::steady_clock::now()) {}

  double now_s() const;
  /// Sleeps through most of the wait and watches the clock for the rest of it.
  void wait_until(double moment_s) const;

 private:
  std::chrono::steady_clock::time_point start_;
};

}  // namespace rackwright::kernels
