#pragma once

#include <cstddef>
#include <string>

#include "models/kernels/device/nvml.h"
#include "models/kernels/table/profile_table.h"

namespace rackwright::kernels {

/// What a profile says about the machine it was measured on.
struct DeviceFacts {
  std::string name;
  std::string pci_bus_id;
  int gpus = 1;
  int sms = 0;
  std::size_t l2_bytes = 0;
  std::size_t memory_bytes = 0;
  /// Dense bf16 peak of the tensor cores at the maximum SM clock, from the architecture's rate per SM;
  /// 0 when the architecture is not known here.
  double tensor_peak_flops = 0;
  /// Bus width times data rate at the maximum memory clock.
  double memory_peak_bytes_per_s = 0;
};

/// Of CUDA device `device`. Throws DeviceError when it cannot be asked.
DeviceFacts device_facts(int device);

/// The header lines that every file of a run shares; `seed` of inputs and off-grid shapes.
ProfileHeader profile_header(const DeviceFacts& facts, const Nvml& nvml, std::uint64_t seed);

}  // namespace rackwright::kernels
