#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/base/time.h"
#include "scenarios/results/run_summary.h"

namespace rackwright::metrics {

/// How many of an instance's devices sit in a rack.
struct Placement {
  std::uint32_t rack = 0;  ///< Index into RunDescription::racks.
  std::uint32_t devices = 0;
};

struct InstanceLayout {
  std::uint32_t pool = 0;
  std::int64_t idle_power_mw = 0;
  std::vector<Placement> placements;  ///< Share the instance's power by number of devices; may be empty.
  std::optional<std::int64_t> off_power_mw{};  ///< Of an instance that can be off: drawn when it is not reported to be on.
};

/// Simulated time over which latencies, rates, power and energy are taken; what lies outside is
/// warm-up and cool-down. A request belongs to it by its arrival.
struct MeasureWindow {
  SimTime from;
  SimTime to = SimTime::max();
  bool all() const { return from.ps <= 0 && to == SimTime::max(); }
};

/// What collectors must know of a run beside its description.
struct RunLayout {
  std::vector<InstanceLayout> instances;  ///< By index of instance.
  /// Devices of stations, one station after another; `pool` counts on from the pools.
  std::vector<InstanceLayout> station_devices{};
  /// By rack, in milliwatts: what draws the same all the time (hosts, switches, fans, unused devices).
  std::vector<std::int64_t> rack_base_power_mw;
  /// Whether every device that works has figures of its power. Without, all powers here and of steps are 0, and no figure of
  /// power or energy is written.
  bool power_is_known = true;
  MeasureWindow window;
  bool has_chains = false;  ///< Requests may follow each other.
};

/// What only the run itself knows, when it ends.
struct RunEnd {
  SimTime first_arrival;
  SimTime last_event;
  std::int64_t requests_total = 0;
  std::int64_t requests_in_flight = 0;
  results::RunStatus status = results::RunStatus::complete;
  std::string status_reason{};
  std::vector<results::KvTierUse> kv_tiers{};
};

}  // namespace rackwright::metrics
