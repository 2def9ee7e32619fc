#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/hardware/device_spec.h"

namespace rackwright::scenarios {

/// Racks of one kind, by the name under which a deployment refers to them, and what stands in each.
/// Devices are numbered from 0 through the whole group: rack by rack, node by node.
struct RackGroupSpec {
  std::string name;
  std::string title;
  int racks = 1;
  /// An earlier group in whose racks the nodes stand, as many in each; base power, budget and height are then that group's.
  std::optional<int> stands_in;
  int nodes_per_rack = 1;
  int devices_per_node = 0;
  hardware::DeviceSpec device;
  std::string profile;         ///< Of measured operators, by name; "" where a roofline prices them.
  std::string calibrated_from; ///< A measured device that lends its efficiencies; "" for none.
  std::string profile_folder;  ///< Where it lies, when it is not one of the catalog.
  bool device_figures_are_assumed = false;  ///< The scenario gave some itself.

  int scale_up_devices = 1;  ///< Of one domain; a domain never spans racks.
  std::optional<double> scale_up_latency_s;
  bool in_network_reduction = false;
  bool collectives_follow_link = false;  ///< Its stated latency and bandwidth, not a library's tuning.

  int nics_per_node = 0;                   ///< Cards of the scale-out network.
  std::optional<double> nic_bytes_per_s;   ///< Per direction, of one of them.

  std::optional<double> node_base_power_w;  ///< All of a node but its devices, while it is on.
  std::optional<double> rack_base_power_w;  ///< Switch trays, power shelves, pumps.
  std::optional<double> rack_power_budget_w;
  std::optional<int> rack_height_u;

  /// Whether power and energy of its devices can be told.
  bool has_device_power() const { return device.idle_power_w && device.limit_power_w; }
  int devices_per_rack() const { return nodes_per_rack * devices_per_node; }
  int devices() const { return racks * devices_per_rack(); }
};

/// What stands in the hall, in the order of the scenario.
struct HallSpec {
  std::vector<RackGroupSpec> groups;

  /// The group whose racks these devices stand in: itself, for most.
  int rack_owner(int group) const { return groups[static_cast<std::size_t>(group)].stands_in.value_or(group); }

  /// The index of the group with this name, or nothing.
  std::optional<int> find(std::string_view name) const;
};

/// Devices of one group, from `first` to `last`, both included.
struct DeviceRange {
  int group = 0;
  int first = 0;
  int last = 0;
  int size() const { return last - first + 1; }
};

}  // namespace rackwright::scenarios
