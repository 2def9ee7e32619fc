#pragma once

#include "models/hardware/device_spec.h"

namespace rackwright::test {

/// NVIDIA H200 SXM: ml-engineering accelerator tables, MAMF finder; idle power of cuda-samples issue 311.
inline hardware::DeviceSpec h200() {
  hardware::DeviceSpec device;
  device.name = "h200-sxm";
  device.peak.bf16_flop_per_s = 989e12;
  device.peak.fp8_flop_per_s = 1979e12;
  device.achieved_bf16_fraction = 0.80;
  device.achieved_fp8_fraction = 0.73;
  device.memory_bytes = 141e9;
  device.memory_bytes_per_s = 4.8e12;
  device.max_clock_hz = 1980e6;
  device.clock_step_hz = 15e6;
  device.idle_power_w = 115;
  device.limit_power_w = 700;
  device.scale_up_link = "nvlink4";
  device.scale_up_bytes_per_s = 450e9;
  device.scale_up_domain = 8;
  return device;
}

}  // namespace rackwright::test
