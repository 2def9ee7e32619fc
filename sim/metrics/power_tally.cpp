#include "sim/metrics/power_tally.h"

#include "models/base/invariant.h"

namespace rackwright::metrics {

PowerTally::PowerTally(const RunLayout& layout, std::size_t racks) : instances_(layout.instances), first_station_device_(static_cast<std::uint32_t>(layout.instances.size())), racks_(racks) {
  instances_.insert(instances_.end(), layout.station_devices.begin(), layout.station_devices.end());
  for (std::size_t rack = 0; rack < layout.rack_base_power_mw.size(); ++rack) {
    invariant(rack < racks, "a rack of the layout is not described");
    racks_[rack].floor_mw += layout.rack_base_power_mw[rack];
    all_.floor_mw += layout.rack_base_power_mw[rack];
  }
  for (const InstanceLayout& instance : instances_) {
    const std::int64_t floor = instance.off_power_mw.value_or(instance.idle_power_mw);
    all_.floor_mw += floor;
    if (instance.pool >= pools_.size()) pools_.resize(instance.pool + 1);
    pools_[instance.pool].floor_mw += floor;
    share_by_devices(instance.placements, floor,
                     [&](std::uint32_t rack, std::int64_t mw) { racks_.at(rack).floor_mw += mw; });
  }
}

void PowerTally::add(std::uint32_t instance, SimTime start, SimTime end, std::int64_t power_mw) {
  const std::int64_t above = power_mw - instances_[instance].idle_power_mw;
  invariant(above >= 0, "a step draws less than the idle power of its instance");
  add_above(instances_[instance], start, end, above);
}

void PowerTally::add_powered(std::uint32_t instance, SimTime start, SimTime end) {
  const InstanceLayout& layout = instances_[instance];
  invariant(layout.off_power_mw.has_value(), "only an instance that can be off is told to be on");
  add_above(layout, start, end, layout.idle_power_mw - *layout.off_power_mw);
}

void PowerTally::add_above(const InstanceLayout& layout, SimTime start, SimTime end, std::int64_t above) {
  all_.add(start, end, above);
  pools_[layout.pool].above_mw_ps += Int128{above} * (end - start).ps;
  share_by_devices(layout.placements, above,
                   [&](std::uint32_t rack, std::int64_t mw) { racks_[rack].add(start, end, mw); });
}

PowerTally::Totals PowerTally::all(SimTime measured) { return all_.totals(measured); }

PowerTally::Totals PowerTally::rack(std::size_t index, SimTime measured) { return racks_[index].totals(measured); }

double PowerTally::pool_energy_j(std::size_t index, SimTime measured) const {
  if (index >= pools_.size()) return 0;
  return static_cast<double>(Int128{pools_[index].floor_mw} * measured.ps + pools_[index].above_mw_ps) / 1e15;
}

void PowerTally::Meter::add(SimTime start, SimTime end, std::int64_t above_mw) {
  above_mw_ps += Int128{above_mw} * (end - start).ps;
  peak.add(start, end, above_mw);
}

PowerTally::Totals PowerTally::Meter::totals(SimTime measured) {
  const Int128 energy_mw_ps = Int128{floor_mw} * measured.ps + above_mw_ps;
  Totals totals;
  totals.energy_j = static_cast<double>(energy_mw_ps) / 1e15;
  if (measured.ps > 0) totals.mean_w = static_cast<double>(energy_mw_ps) / static_cast<double>(measured.ps) / 1e3;
  totals.peak_w = static_cast<double>(floor_mw + peak.peak_mw()) / 1e3;
  return totals;
}

}  // namespace rackwright::metrics
