#pragma once

#include <cuda_runtime.h>

#include <functional>

#include "models/kernels/device/nvml.h"

namespace rackwright::kernels {

/// What a steady load drew over a window between two updates of the driver's energy counter.
struct PowerReading {
  double energy_j = 0;
  double window_s = 0;
  double mean_w = 0;
  double sm_mhz = 0;         ///< Cycles over time, as the SMs count them.
  double driver_mhz = 0;     ///< Mean of what the driver says meanwhile.
  double s_per_burst = 0;  ///< Device time of one burst, rests inside it included.
  double bursts_in_window = 0;
  int temperature_c = 0;
};

/// Keeps the device fed with bursts for `warm_up_s` and then for a window of at least `window_s`.
/// `burst` enqueues some milliseconds of work on `stream`. Throws DeviceError when a call fails.
PowerReading read_power(const Nvml& nvml, int sms, cudaStream_t stream, double warm_up_s, double window_s, const std::function<void()>& burst);

/// The same with nothing running: no call touches the device.
PowerReading read_idle_power(const Nvml& nvml, double window_s);

}  // namespace rackwright::kernels
