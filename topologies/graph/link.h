#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "topologies/graph/index.h"

namespace rackwright::topologies {

enum class LinkKind : std::uint8_t {
  pcie,
  socket,        ///< Between CPU sockets (UPI, Infinity Fabric).
  c2c,           ///< Coherent CPU-accelerator link on one module (NVLink-C2C).
  nvlink,
  xgmi,
  ici,           ///< TPU inter-chip interconnect.
  chip_to_chip,  ///< Direct links between SRAM accelerators.
  wafer,         ///< Between neighbouring regions of a wafer.
  infiniband,
  ethernet,
  other,
};

/// What a link runs over, which also says how far it reaches and whether its ends are optics.
enum class Cable : std::uint8_t {
  unknown,
  package,        ///< Within a package, an interposer or a wafer.
  board,          ///< Board traces, under 1 m.
  backplane,      ///< Copper cable cartridge or midplane of one rack, up to 2 m.
  copper,         ///< Passive copper cable (DAC), up to 3 m.
  active_copper,  ///< Up to 7 m.
  multimode,      ///< Pluggable optics on multimode fibre, up to 50 m.
  single_mode,    ///< Pluggable optics on single-mode fibre, up to 500 m.
  co_packaged,    ///< Optics in the switch package, single-mode fibre, up to 500 m.
};

/// One direction of a cable.
struct Link {
  VertexIndex from;
  VertexIndex to;
  double bandwidth = 0;  ///< Bytes per second, all lanes together; 0 where the cable does not carry this direction.
  double latency_s = 0;  ///< Of the cable, plus half of what each end takes to pass a message on.
  LinkKind kind = LinkKind::other;
  Cable cable = Cable::unknown;
  std::uint16_t from_port = 0;  ///< Counts from 1; 0 if unknown.
  std::uint16_t to_port = 0;
  std::uint16_t lanes = 1;      ///< Physical cables (or NVLinks) that this link stands for.
};

/// Longest run in metres; 0 for unknown.
double reach_m(Cable cable);
/// Whether both ends carry a transceiver that can be unplugged.
bool has_pluggable_optics(Cable cable);

std::string_view to_string(LinkKind kind);
std::string_view to_string(Cable cable);
std::optional<LinkKind> parse_link_kind(std::string_view name);
std::optional<Cable> parse_cable(std::string_view name);

}  // namespace rackwright::topologies
