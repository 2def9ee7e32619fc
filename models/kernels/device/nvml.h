#pragma once

#include <string>

#include "models/kernels/table/topology_text.h"

namespace rackwright::kernels {

/// The driver's management library for one GPU, opened at run time: reads only, changes no setting.
class Nvml {
 public:
  /// `pci_bus_id` as cudaDeviceGetPCIBusId writes it. Throws EnvironmentError when the library is missing.
  explicit Nvml(const std::string& pci_bus_id);
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  /// The energy counter since the driver was loaded; it moves in steps some tens of milliseconds apart.
  double energy_j() const;
  /// The driver's own average over about a second.
  double power_w() const;
  double power_limit_w() const;
  int sm_clock_mhz() const;
  int memory_clock_mhz() const;
  int max_sm_clock_mhz() const;
  int temperature_c() const;
  std::string driver_version() const;
  /// None where the driver does not tell.
  NvlinkCount nvlinks() const;

 private:
  /// The library's status, 0 for success. Throws EnvironmentError when the library lacks the function.
  template <class... Parameters>
  int status_of(const char* symbol, Parameters... parameters) const;
  template <class... Parameters>
  void call(const char* symbol, Parameters... parameters) const;

  void* library_ = nullptr;
  void* device_ = nullptr;
};

}  // namespace rackwright::kernels
