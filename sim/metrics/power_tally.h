#pragma once

#include <cstdint>
#include <vector>

#include "models/base/time.h"
#include "scenarios/results/run_summary.h"
#include "sim/metrics/int128.h"
#include "sim/metrics/peak_power.h"
#include "sim/metrics/run_layout.h"

namespace rackwright::metrics {

/// Electric power of the IT equipment, by rack, by pool and in all: what is always on, the idle power of every
/// instance, and what each stretch draws above that. An instance over several racks is shared out by
/// its devices. Not in it: cooling, power conversion, and anything of the facility.
class PowerTally {
 public:
  PowerTally(const RunLayout& layout, std::size_t racks);
  /// `power_mw` is the whole instance's, over [start, end), which lies in the measured window.
  void add(std::uint32_t instance, SimTime start, SimTime end, std::int64_t power_mw);
  /// The same of a device of a station.
  void add_station(std::uint32_t device, SimTime start, SimTime end, std::int64_t power_mw) { add(first_station_device_ + device, start, end, power_mw); }

  /// An instance that can be off was on over [start, end).
  void add_powered(std::uint32_t instance, SimTime start, SimTime end);

  struct Totals {
    double energy_j = 0;
    double mean_w = 0;
    double peak_w = 0;
  };
  /// Over the measured length of the run.
  Totals all(SimTime measured);
  Totals rack(std::size_t index, SimTime measured);
  /// Energy in joules of the devices of a pool's instances.
  double pool_energy_j(std::size_t index, SimTime measured) const;

 private:
  void add_above(const InstanceLayout& layout, SimTime start, SimTime end, std::int64_t above);

  struct Meter {
    std::int64_t floor_mw = 0;  ///< Always drawn.
    Int128 above_mw_ps = 0;     ///< ∫ what is drawn above it.
    PeakPower peak;
    void add(SimTime start, SimTime end, std::int64_t above_mw);
    Totals totals(SimTime measured);
  };

  struct PoolMeter {
    std::int64_t floor_mw = 0;
    Int128 above_mw_ps = 0;
  };

  std::vector<InstanceLayout> instances_;  ///< And the devices of stations behind them.
  const std::uint32_t first_station_device_;
  std::vector<Meter> racks_;
  std::vector<PoolMeter> pools_;
  Meter all_;
};

/// Milliwatts of `power_mw` that fall to each placement; they sum to it. `share` is called with (rack, mW).
template <class Share>
void share_by_devices(const std::vector<Placement>& placements, std::int64_t power_mw, Share share) {
  if (placements.size() == 1) {
    share(placements.front().rack, power_mw);
    return;
  }
  std::int64_t devices = 0;
  for (const Placement& placement : placements) devices += placement.devices;
  std::int64_t before = 0;
  std::int64_t given = 0;
  for (const Placement& placement : placements) {
    before += placement.devices;
    const auto until = static_cast<std::int64_t>(Int128{power_mw} * before / devices);
    share(placement.rack, until - given);
    given = until;
  }
}

}  // namespace rackwright::metrics
