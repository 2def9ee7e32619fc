#include "models/kernels/device/nvml.h"

#include <dlfcn.h>

#include "models/base/invariant.h"

namespace rackwright::kernels {
namespace {

// Values of the enumerations in the library's header, which toolkits do not always ship.
constexpr int clock_sm = 1;
constexpr int clock_memory = 2;
constexpr int sensor_gpu = 0;
constexpr unsigned most_nvlinks = 18;
constexpr int link_to_gpu = 0;
constexpr int link_to_switch = 2;

}  // namespace

template <class... Parameters>
int Nvml::status_of(const char* symbol, Parameters... parameters) const {
  using Function = int (*)(Parameters...);
  const auto function = reinterpret_cast<Function>(dlsym(library_, symbol));
  if (!function) throw EnvironmentError(std::string("the NVML library lacks ") + symbol);
  return function(parameters...);
}

template <class... Parameters>
void Nvml::call(const char* symbol, Parameters... parameters) const {
  if (const int status = status_of(symbol, parameters...); status != 0)
    throw EnvironmentError(std::string(symbol) + " failed with status " + std::to_string(status));
}

Nvml::Nvml(const std::string& pci_bus_id) : library_(dlopen("libnvidia-ml.so.1", RTLD_NOW)) {
  if (!library_) throw EnvironmentError("libnvidia-ml.so.1 cannot be opened: is the NVIDIA driver installed?");
  call("nvmlInit_v2");
  call("nvmlDeviceGetHandleByPciBusId_v2", pci_bus_id.c_str(), &device_);
}

Nvml::~Nvml() { dlclose(library_); }

double Nvml::energy_j() const {
  unsigned long long millijoules = 0;
  call("nvmlDeviceGetTotalEnergyConsumption", device_, &millijoules);
  return static_cast<double>(millijoules) / 1e3;
}

double Nvml::power_w() const {
  unsigned milliwatts = 0;
  call("nvmlDeviceGetPowerUsage", device_, &milliwatts);
  return milliwatts / 1e3;
}

double Nvml::power_limit_w() const {
  unsigned milliwatts = 0;
  call("nvmlDeviceGetEnforcedPowerLimit", device_, &milliwatts);
  return milliwatts / 1e3;
}

int Nvml::sm_clock_mhz() const {
  unsigned mhz = 0;
  call("nvmlDeviceGetClockInfo", device_, clock_sm, &mhz);
  return static_cast<int>(mhz);
}

int Nvml::memory_clock_mhz() const {
  unsigned mhz = 0;
  call("nvmlDeviceGetClockInfo", device_, clock_memory, &mhz);
  return static_cast<int>(mhz);
}

int Nvml::max_sm_clock_mhz() const {
  unsigned mhz = 0;
  call("nvmlDeviceGetMaxClockInfo", device_, clock_sm, &mhz);
  return static_cast<int>(mhz);
}

int Nvml::temperature_c() const {
  unsigned celsius = 0;
  call("nvmlDeviceGetTemperature", device_, sensor_gpu, &celsius);
  return static_cast<int>(celsius);
}

std::string Nvml::driver_version() const {
  char text[96] = {};
  call("nvmlSystemGetDriverVersion", static_cast<char*>(text), static_cast<unsigned>(sizeof text));
  return text;
}

NvlinkCount Nvml::nvlinks() const {
  NvlinkCount count;
  for (unsigned link = 0; link < most_nvlinks; ++link) {
    unsigned active = 0;
    if (status_of("nvmlDeviceGetNvLinkState", device_, link, &active) != 0 || active == 0) continue;
    int end = -1;
    if (status_of("nvmlDeviceGetNvLinkRemoteDeviceType", device_, link, &end) != 0) end = -1;
    ++(end == link_to_switch ? count.to_switches : end == link_to_gpu ? count.to_gpus : count.to_unknown);
  }
  return count;
}

}  // namespace rackwright::kernels
