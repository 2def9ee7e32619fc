#pragma once

#include <array>
#include <map>
#include <tuple>
#include <vector>

#include "topologies/graph/topology.h"

namespace rackwright::topologies {

/// Energy of moving a bit one way over a cable, both ends together. Links are always on: power is this times the bandwidth of
/// both directions, whatever they carry.
struct LinkPowerParameters {
  double package_j_per_bit = 0.5e-12;     ///< On-die and in-package 0.1-1 pJ/bit (secondary sources).
  double copper_j_per_bit = 10e-12;       ///< Board, backplane and cable: 5-15 pJ/bit (secondary sources).
  /// 17 W an end for 2 x 400 Gb/s, both directions: NVIDIA MMS4X00-NS (twin-port DR8). 2 · 17 W / (2 · 800 Gb/s).
  double pluggable_j_per_bit = 21.25e-12;
  double co_packaged_j_per_bit = 6.75e-12;  ///< 5.2-5.6 W an end for 800 Gb/s (NVIDIA, as reported); 2 · 5.4 W / (2 · 800 Gb/s).
};

/// Power of one cable, in watts. Cables of unknown class are not counted.
double cable_power_w(const Link& there, const Link& back, const LinkPowerParameters& parameters);

/// What there is to buy, plug in and power.
struct Inventory {
  std::map<VertexKind, int> vertices;

  struct CableKind {
    LinkKind kind = LinkKind::other;
    Cable cable = Cable::unknown;
    double bandwidth = 0;  ///< B/s per direction; the larger of the two where they differ.
    auto operator<=>(const CableKind&) const = default;
  };
  struct CableCount {
    int cables = 0;        ///< Every lane of a cable counts.
    int transceivers = 0;  ///< Pluggable ones: two a cable.
    double power_w = 0;
  };
  std::map<CableKind, CableCount> cables;

  struct PortCount {
    int switches = 0;
    int ports = 0;         ///< 0 if unknown.
    int used = 0;
  };
  std::map<std::pair<VertexKind, int>, PortCount> ports;  ///< By kind of switch and tier.

  int transceivers() const;
  double power_w() const;
};

Inventory take_inventory(const Topology& topology, const LinkPowerParameters& parameters);

}  // namespace rackwright::topologies
