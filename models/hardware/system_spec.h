#pragma once

#include <optional>
#include <string>
#include <vector>

namespace rackwright::hardware {

/// A host processor: one socket.
struct HostSpec {
  std::string name;
  std::optional<int> cores;
  std::optional<double> memory_bytes;
  std::optional<double> memory_bytes_per_s;
  std::optional<double> device_link_bytes_per_s;  ///< Per direction, to one accelerator (PCIe, C2C).
  std::optional<double> idle_power_w;
  std::optional<double> limit_power_w;
};

/// A network adapter.
struct NicSpec {
  std::string name;
  std::optional<int> ports;
  std::optional<double> port_bytes_per_s;  ///< Per direction.
  std::optional<double> latency_s;         ///< Through the adapter, one way.
  std::optional<double> power_w;
};

/// A link technology: cable or backplane, with what sits in both of its ends.
struct LinkSpec {
  std::string name;
  std::optional<double> bytes_per_s;  ///< Per direction.
  std::optional<double> latency_s;    ///< One way, without the devices at its ends.
  std::optional<double> power_w;      ///< Of both ends together (optics).
  std::optional<double> reach_m;
};

struct SwitchSpec {
  std::string name;
  std::optional<int> ports;
  std::optional<double> port_bytes_per_s;  ///< Per direction.
  std::optional<double> latency_s;         ///< Port to port.
  std::optional<double> idle_power_w;
  std::optional<double> limit_power_w;
  std::optional<double> rack_units;
};

/// How many of one named part.
struct PartCount {
  std::string name;
  int count = 0;
};

/// A server or tray: what shares one chassis.
struct NodeSpec {
  std::string name;
  PartCount devices;
  PartCount hosts;
  std::vector<PartCount> nics;
  /// Devices joined by the scale-up fabric inside the node; absent when the fabric spans the rack.
  std::optional<int> scale_up_domain;
  std::optional<double> limit_power_w;      ///< Of the whole node.
  std::optional<double> idle_power_w;       ///< Of the whole node.
  std::optional<double> fan_power_w;        ///< At full speed.
  std::optional<double> liquid_fraction;    ///< Share of the heat that leaves by liquid, 0 to 1.
  std::optional<double> rack_units;
  std::optional<double> mass_kg;
};

struct RackSpec {
  std::string name;
  std::vector<PartCount> nodes;
  std::vector<PartCount> switches;
  /// Devices joined by a scale-up fabric that spans nodes; absent when it stays inside the node.
  std::optional<int> scale_up_domain;
  std::optional<double> limit_power_w;      ///< Of the whole rack.
  std::optional<double> power_supply_w;     ///< Installed supply capacity.
  std::optional<double> liquid_fraction;    ///< Share of the heat that leaves by liquid, 0 to 1.
  std::optional<double> rack_units;         ///< Height.
  std::optional<double> mass_kg;
};

}  // namespace rackwright::hardware
