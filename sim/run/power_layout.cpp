#include "sim/run/power_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rackwright::run {
namespace {

std::int64_t milliwatts(double watts) { return std::llround(watts * 1000); }

/// The index of the first rack of a group among all racks; groups that stand in the racks of others share theirs.
std::vector<std::uint32_t> first_racks(const scenarios::HallSpec& hall) {
  std::vector<std::uint32_t> first;
  std::uint32_t next = 0;
  for (const scenarios::RackGroupSpec& group : hall.groups) {
    first.push_back(group.stands_in ? first[static_cast<std::size_t>(*group.stands_in)] : next);
    if (!group.stands_in) next += static_cast<std::uint32_t>(group.racks);
  }
  return first;
}

void add_racks(const scenarios::RackGroupSpec& group, PowerLayout& layout) {
  for (int i = 0; i < group.racks; ++i) {
    results::RackDescription rack;
    rack.name = group.racks == 1 ? group.name : fmt::format("{}[{}]", group.name, i);
    rack.preset = group.title;
    rack.power_budget_w = group.rack_power_budget_w;
    if (group.rack_height_u) rack.height_u = *group.rack_height_u;
    layout.racks.push_back(std::move(rack));
    layout.rack_base_power_mw.push_back(milliwatts(group.rack_base_power_w.value_or(0)));
  }
}

/// The base power of its nodes, in the racks where they stand.
void add_nodes(const scenarios::RackGroupSpec& group, std::uint32_t first_rack, PowerLayout& layout) {
  for (int i = 0; i < group.racks; ++i) {
    const std::size_t rack = first_rack + static_cast<std::size_t>(i);
    layout.rack_base_power_mw[rack] += group.nodes_per_rack * milliwatts(group.node_base_power_w.value_or(0));
    if (group.stands_in) layout.racks[rack].preset += " and " + group.title;
  }
  if (!group.node_base_power_w) {
    layout.left_out.push_back(fmt::format("IT power leaves out hosts, switches and fans of '{}': facility.racks.{}.rack.node.base_power is not known",
                                          group.name, group.name));
  }
}

}  // namespace

PowerLayout power_layout(const scenarios::ScenarioSpec& scenario, const std::vector<scenarios::PoolPlan>& plans) {
  PowerLayout layout;
  const std::vector<std::uint32_t> first = first_racks(scenario.hall);
  std::vector<std::vector<int>> unused;  // Devices of each group in each of its racks that no pool takes.
  for (std::size_t g = 0; g < first.size(); ++g) {
    const scenarios::RackGroupSpec& group = scenario.hall.groups[g];
    if (!group.stands_in) add_racks(group, layout);
    add_nodes(group, first[g], layout);
    unused.emplace_back(static_cast<std::size_t>(group.racks), group.devices_per_rack());
  }
  for (std::size_t p = 0; p < scenario.pools.size(); ++p) {
    const scenarios::PoolSpec& pool = scenario.pools[p];
    const auto group = static_cast<std::size_t>(pool.devices.group);
    layout.is_known = layout.is_known && scenario.hall.groups[group].has_device_power();
    const int per_rack = scenario.hall.groups[group].devices_per_rack();
    for (int i = 0; i < pool.instances; ++i) {
      metrics::InstanceLayout& instance = layout.instances.emplace_back();
      instance.pool = static_cast<std::uint32_t>(p);
      // An attention pool's cost is of all its instances, a feed-forward pool's of one of its groups.
      instance.idle_power_mw = plans[p].cost->idle_power_mw() * (pool.role == scenarios::PoolRole::ffn ? pool.ranks : 1);
      if (pool.scaling) instance.off_power_mw = std::min(instance.idle_power_mw, pool.devices_per_instance() * milliwatts(pool.scaling->off_power_w));
      // Pipeline stages may lie in several racks.
      const int end = pool.first_device(i) + pool.devices_per_instance();
      for (int device = pool.first_device(i); device < end;) {
        const auto rack = static_cast<std::uint32_t>(device / per_rack);
        const int here = std::min(end, (device / per_rack + 1) * per_rack) - device;
        instance.placements.push_back({first[group] + rack, static_cast<std::uint32_t>(here)});
        unused[group][rack] -= here;
        device += here;
      }
    }
  }
  for (std::size_t s = 0; s < scenario.stations.size(); ++s) {
    const scenarios::StationSpec& station = scenario.stations[s];
    const auto group = static_cast<std::size_t>(station.devices.group);
    const scenarios::RackGroupSpec& racks = scenario.hall.groups[group];
    if (!racks.device.limit_power_w) {
      layout.left_out.push_back(fmt::format("the power limit of '{}' is not known: work of station '{}' draws nothing beside idle power", racks.device.name, station.name));
    }
    for (int device = station.devices.first; device <= station.devices.last; ++device) {
      const auto rack = static_cast<std::uint32_t>(device / racks.devices_per_rack());
      layout.station_devices.push_back({static_cast<std::uint32_t>(scenario.pools.size() + s), milliwatts(racks.device.idle_power_w.value_or(0)), {{first[group] + rack, 1}}, std::nullopt});
      --unused[group][rack];
    }
  }
  for (std::size_t g = 0; g < scenario.hall.groups.size(); ++g) {
    const scenarios::RackGroupSpec& group = scenario.hall.groups[g];
    for (std::size_t i = 0; i < unused[g].size(); ++i)
      layout.rack_base_power_mw[first[g] + i] += unused[g][i] * milliwatts(group.device.idle_power_w.value_or(0));
    if (!group.device.idle_power_w) {
      layout.left_out.push_back(fmt::format("the idle power of '{}' is not known and counts as nothing", group.device.name));
    }
  }
  if (!layout.is_known) layout.left_out.clear();  // Nothing is summed of which they could be left out.
  return layout;
}

}  // namespace rackwright::run
