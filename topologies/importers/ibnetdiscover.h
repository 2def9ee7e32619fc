#pragma once

#include <optional>
#include <string_view>

#include "models/base/diagnostic.h"
#include "topologies/graph/topology.h"

namespace rackwright::topologies {

/// What `ibnetdiscover` does not print.
struct IbnetdiscoverParameters {
  double nic_latency_s = 0.6e-6;      ///< s; as in LeafSpineParameters.
  double switch_latency_s = 0.33e-6;  ///< s; as in LeafSpineParameters.
  double default_bandwidth = 12.5e9;  ///< B/s per direction of a cable without width and speed at either end: 4xEDR, assumed.
};

/// Reads the topology file that `ibnetdiscover` writes: Switch, Ca and Rt blocks with their ports.
///
/// A cable is written at both ends and read once; a width or speed on which the ends disagree, and a peer without a block,
/// is reported. Descriptions name hosts ("node7 mlx5_3" or "node7 HCA-4": host node7, and a rail of that HCA name) unless
/// two adapters claim the same host and HCA. Aggregation nodes (SHARP) are endpoints inside their switch, which then reduces.
/// Tiers are inferred: leaves carry at least a quarter as many adapters as the switch with most, the others count from them.
std::optional<Topology> import_ibnetdiscover(std::string_view text, std::string_view file, const IbnetdiscoverParameters& parameters,
                                             Diagnostics& diagnostics);

bool is_ibnetdiscover(std::string_view text);

}  // namespace rackwright::topologies
