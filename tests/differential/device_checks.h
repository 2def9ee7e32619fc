#pragma once

#include <string>
#include <vector>

namespace rackwright::test {

/// A time that a device took for whole steps beside the modelled one.
struct DeviceCheck {
  std::string name;
  double measured_us = 0;
  double modelled_us = 0;
  double measured_w = 0;  ///< Mean power of one device; 0 where it was not taken.
  double modelled_w = 0;

  double error() const { return modelled_us / measured_us - 1; }
};

/// Whole steps as one CUDA graph, with rests (step.csv, and pair_step.csv over two GPUs), against the sum of their operators.
std::vector<DeviceCheck> step_checks();

/// Rounds of steps that follow each other for seconds under the board's power limit (throttle.csv), against the same steps
/// under a ClockGovernor: time of a round, and power. The first 1.2 s are left out.
std::vector<DeviceCheck> throttle_checks();

}  // namespace rackwright::test
