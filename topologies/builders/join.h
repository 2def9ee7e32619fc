#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/diagnostic.h"
#include "topologies/graph/topology_builder.h"

namespace rackwright::topologies {

/// One side of a join: what connects, and how wide. A GPU rack beside an SRAM rack beside a CPU rack is three of these,
/// each with its leaf switches (or, without a fabric of its own, its NICs).
struct JoinMember {
  std::string name;
  std::vector<VertexIndex> ports;  ///< Switches or NICs.
  int links_per_port = 1;          ///< Cables from each of them, spread over the join's switches in turn.
  double bandwidth = 50e9;         ///< B/s per direction of one cable. NDR: 400 Gb/s.
};

/// Switches that join what several builders made.
struct JoinParameters {
  int switches = 2;
  int switch_ports = 64;             ///< 0: not checked. Quantum-2 QM9700 and Spectrum SN5400: 64 (NVIDIA).
  double switch_latency_s = 0.5e-6;  ///< s; cut-through Ethernet class, low end of 500-800 ns, from memory.
  LinkKind kind = LinkKind::ethernet;
  Cable cable = Cable::single_mode;
};

void check(const JoinParameters& parameters, std::span<const JoinMember> members, std::string_view path, Diagnostics& diagnostics);

/// Adds the switches "name/join0" … one tier above the highest switch that they connect.
std::vector<VertexIndex> add_join(TopologyBuilder& builder, const JoinParameters& parameters, std::span<const JoinMember> members,
                                  std::string_view name);

}  // namespace rackwright::topologies
