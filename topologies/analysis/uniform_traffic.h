#pragma once

#include <optional>

#include "topologies/analysis/fabric_view.h"

namespace rackwright::topologies {

/// What the view carries when every terminal sends to every other, in proportion to the product of their weights, over all
/// shortest paths at once: at each node the traffic splits over the next hops by their bandwidth (fluid ECMP).
struct UniformTraffic {
  int diameter = 0;               ///< Most hops between two terminals that reach each other.
  double mean_hops = 0;           ///< Over all such pairs.
  double unreachable_share = 0;   ///< Of the ordered pairs, by weight.
  /// B/s between two accelerators (weights 1 and 1) at which the busiest cable is full.
  double pair_rate = 0;
  /// B/s that an accelerator then sends in all, on average, to those behind other terminals.
  double sent_by_each = 0;
  /// Pair rate if the cables of terminals that do not forward had no limit; infinite where there are no others.
  double fabric_pair_rate = 0;
  /// Every terminal that does not forward uses all of its cables in proportion to their bandwidth for every other one.
  bool uses_terminals_evenly = true;
};

/// Nothing when it would take more than `most_steps` (terminals, twins counted once, times cables).
std::optional<UniformTraffic> uniform_traffic(const FabricView& view, double most_steps);

/// The same for an intact torus whose dimensions all wrap, from one search: by symmetry every link of a dimension carries
/// the same. Nothing if the view is not exactly such a grid.
std::optional<UniformTraffic> uniform_traffic_on_torus(const FabricView& view, const Grid& grid);

}  // namespace rackwright::topologies
