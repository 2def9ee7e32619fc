#include "models/kernels/measure/power_load.h"

#include <chrono>
#include <thread>

#include "models/kernels/device/check.h"
#include "models/kernels/measure/clock_stamp.h"

namespace rackwright::kernels {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// The energy counter at one of its updates, and when that was seen.
struct EnergyMark {
  double joules = 0;
  Clock::time_point when;
};

/// Waits for the next update, calling `meanwhile` between looks.
template <class Meanwhile>
EnergyMark next_update(const Nvml& nvml, const Meanwhile& meanwhile) {
  const double before = nvml.energy_j();
  const auto start = Clock::now();
  while (true) {
    meanwhile();
    const double now = nvml.energy_j();
    if (now != before) return {now, Clock::now()};
    if (seconds_since(start) > 5) throw DeviceError("the energy counter does not move");
  }
}

}  // namespace

PowerReading read_power(const Nvml& nvml, int sms, cudaStream_t stream, double warm_up_s, double window_s, const std::function<void()>& burst) {
  cudaEvent_t done[2];
  for (auto& event : done) check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  long launched = 0;
  // Two bursts are in flight; the host looks at the counter while it waits for the older one.
  const auto feed = [&] {
    const cudaEvent_t oldest = done[launched % 2];
    if (launched >= 2) {
      const cudaError_t status = cudaEventQuery(oldest);
      if (status == cudaErrorNotReady) {
        std::this_thread::sleep_for(std::chrono::microseconds(50));
        return;
      }
      check(status);
    }
    burst();
    check(cudaEventRecord(oldest, stream));
    ++launched;
  };
  ClockStamps clock(sms, 1);
  for (const auto start = Clock::now(); seconds_since(start) < warm_up_s;) feed();
  const EnergyMark from = next_update(nvml, feed);
  clock.begin(0, stream);
  const long first = launched;
  PowerReading reading;
  constexpr int clock_samples = 10;
  for (int sample = 0; sample < clock_samples; ++sample) {
    while (seconds_since(from.when) < window_s * (sample + 1) / clock_samples) feed();
    reading.driver_mhz += static_cast<double>(nvml.sm_clock_mhz()) / clock_samples;
  }
  const EnergyMark to = next_update(nvml, feed);
  reading.temperature_c = nvml.temperature_c();
  const long bursts = launched - first;
  clock.end(0, stream);
  check(cudaStreamSynchronize(stream));
  const double fed_s = clock.seconds(0);
  for (auto& event : done) cudaEventDestroy(event);
  reading.energy_j = to.joules - from.joules;
  reading.window_s = std::chrono::duration<double>(to.when - from.when).count();
  reading.mean_w = reading.energy_j / reading.window_s;
  reading.sm_mhz = clock.mean_mhz(1);
  reading.s_per_burst = fed_s / static_cast<double>(bursts);
  reading.bursts_in_window = reading.window_s / reading.s_per_burst;
  return reading;
}

PowerReading read_idle_power(const Nvml& nvml, double window_s) {
  const auto wait = [] { std::this_thread::sleep_for(std::chrono::milliseconds(2)); };
  const EnergyMark from = next_update(nvml, wait);
  while (seconds_since(from.when) < window_s) wait();
  const EnergyMark to = next_update(nvml, wait);
  PowerReading reading;
  reading.energy_j = to.joules - from.joules;
  reading.window_s = std::chrono::duration<double>(to.when - from.when).count();
  reading.mean_w = reading.energy_j / reading.window_s;
  reading.sm_mhz = reading.driver_mhz = nvml.sm_clock_mhz();
  reading.temperature_c = nvml.temperature_c();
  return reading;
}

}  // namespace rackwright::kernels
