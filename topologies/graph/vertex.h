#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "topologies/graph/index.h"

namespace rackwright::topologies {

enum class VertexKind : std::uint8_t {
  accelerator,       ///< GPU, TPU, LPU, or one region of a wafer.
  processor,         ///< A CPU socket or NUMA node with its memory and root complex.
  nic,
  pcie_switch,       ///< A PCIe switch or host bridge.
  scale_up_switch,   ///< NVSwitch and its like.
  network_switch,
  aggregation_node,  ///< The endpoint inside a switch that reduces in the network (SHARP).
  host,              ///< A server taken as one endpoint.
  node,              ///< An import did not say what it is; it may send, receive and forward.
};

/// Whose traffic a vertex passes on.
enum class Forwarding : std::uint8_t {
  never,
  within_host,  ///< Only of transfers that start or end in its own host.
  always,
};

/// What fails together, and what things are named by.
enum class DomainKind : std::uint8_t {
  host,
  rack,
  pod,     ///< Scalable unit of a leaf-spine, pod of a fat-tree, group of a dragonfly.
  rail,    ///< The n-th NIC of every host and the switches that serve only those.
  plane,   ///< One of several parallel networks over which every transfer is spread.
  island,  ///< One scale-up domain.
};
inline constexpr int domain_kind_count = 6;

struct FailureDomain {
  DomainKind kind = DomainKind::host;
  std::string name;  ///< Unique within its kind.
};

struct Vertex {
  std::string name;  ///< Unique.
  VertexKind kind = VertexKind::node;
  Forwarding forwarding = Forwarding::always;
  std::int8_t tier = 0;           ///< Of a network switch: 1 at the leaves, then upwards; 0 where tiers mean nothing.
  bool reduces = false;           ///< The switch can add up what passes through it (SHARP, NVLink SHARP).
  std::uint16_t ports = 0;        ///< Physical ports; 0 if unknown.
  std::array<DomainIndex, domain_kind_count> domains{};  ///< By DomainKind.

  DomainIndex in(DomainKind domain) const { return domains[static_cast<std::size_t>(domain)]; }
  DomainIndex& in(DomainKind domain) { return domains[static_cast<std::size_t>(domain)]; }
};

/// The names under which exports write these; the second form reads them back.
std::string_view to_string(VertexKind kind);
std::string_view to_string(Forwarding forwarding);
std::string_view to_string(DomainKind kind);
std::optional<VertexKind> parse_vertex_kind(std::string_view name);
std::optional<Forwarding> parse_forwarding(std::string_view name);
std::optional<DomainKind> parse_domain_kind(std::string_view name);

}  // namespace rackwright::topologies
