#pragma once

namespace rackwright::scenarios {

/// Replicas of a pool that follow the load.
struct ScalingSpec {
  double target_outstanding = 0;  ///< Requests for each replica.
  int min_replicas = 1;
  double period_s = 0;
  double down_window_s = 0;
  double load_bytes_per_s = 0;  ///< Of the weights of one device.
  double start_time_s = 0;
  double off_power_w = 0;       ///< Of one device.
};

}  // namespace rackwright::scenarios
