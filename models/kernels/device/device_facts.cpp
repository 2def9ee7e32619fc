#include "models/kernels/device/device_facts.h"

#include <cublasLt.h>
#include <cuda_runtime.h>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>

#include "models/kernels/device/check.h"
#include "models/kernels/operators/cudnn_attention.h"
#include "models/kernels/group/nccl_version.h"

namespace rackwright::kernels {
namespace {

int attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, which, device));
  return value;
}

/// Dense bf16 multiply-adds per SM and cycle (NVIDIA's architecture white papers).
int tensor_rate(int major) {
  switch (major) {
    case 8: return 1024;
    case 9: return 2048;
    default: return 0;
  }
}

std::string dotted(int version, int major_unit, int minor_unit) {
  return fmt::format("{}.{}.{}", version / major_unit, version % major_unit / minor_unit, version % minor_unit);
}

}  // namespace

DeviceFacts device_facts(int device) {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, device));
  char bus_id[32] = {};
  check(cudaDeviceGetPCIBusId(bus_id, sizeof bus_id, device));
  DeviceFacts facts;
  facts.name = properties.name;
  facts.pci_bus_id = bus_id;
  check(cudaGetDeviceCount(&facts.gpus));
  facts.sms = properties.multiProcessorCount;
  facts.l2_bytes = static_cast<std::size_t>(properties.l2CacheSize);
  facts.memory_bytes = properties.totalGlobalMem;
  const double clock_hz = 1e3 * attribute(cudaDevAttrClockRate, device);
  facts.tensor_peak_flops = 2.0 * tensor_rate(properties.major) * facts.sms * clock_hz;
  // Two transfers per clock on each pin.
  facts.memory_peak_bytes_per_s = 2e3 * attribute(cudaDevAttrMemoryClockRate, device) * attribute(cudaDevAttrGlobalMemoryBusWidth, device) / 8;
  return facts;
}

ProfileHeader profile_header(const DeviceFacts& facts, const Nvml& nvml, std::uint64_t seed) {
  int runtime = 0;
  check(cudaRuntimeGetVersion(&runtime));
  return {
      {"device", facts.name},
      {"gpus", fmt::format("{}", facts.gpus)},
      {"driver", nvml.driver_version()},
      {"cuda_runtime", fmt::format("{}.{}", runtime / 1000, runtime % 1000 / 10)},
      {"cublas", dotted(static_cast<int>(cublasLtGetVersion()), 10000, 100)},
      {"cudnn", Cudnn::version()},
      {"nccl", nccl_version()},
      {"date", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)))},
      {"build", "gcc " __VERSION__},
      {"seed", fmt::format("{}", seed)},
      {"sms", fmt::format("{}", facts.sms)},
      {"l2_bytes", fmt::format("{}", facts.l2_bytes)},
      {"memory_bytes", fmt::format("{}", facts.memory_bytes)},
      {"power_limit_w", number(nvml.power_limit_w())},
      {"sm_clock_max_mhz", fmt::format("{}", nvml.max_sm_clock_mhz())},
      {"memory_clock_mhz", fmt::format("{}", nvml.memory_clock_mhz())},
      {"tensor_peak_flops", number(facts.tensor_peak_flops)},
      {"hbm_peak_bytes_per_s", number(facts.memory_peak_bytes_per_s)},
      {"inputs", "normal deviates: activations; queries; keys and values of deviation 1; weights of deviation 1/sqrt(k); logits of deviation 2"},
      {"duty", "each repetition is followed by rest of twice its length"},
  };
}

}  // namespace rackwright::kernels
