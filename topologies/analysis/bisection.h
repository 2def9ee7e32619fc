#pragma once

#include <string>
#include <vector>

#include "topologies/analysis/fabric_view.h"
#include "topologies/analysis/uniform_traffic.h"

namespace rackwright::topologies {

/// The least capacity, in the narrower direction, between two halves of the terminals (by weight, as near to half as
/// a halving was found to be), wherever the nodes between are counted.
///
/// The upper end is the smallest cut found (max-flow over every way to halve up to 14 terminals, over chosen ones beyond). The
/// lower end is proven by traffic that must cross any such cut and fits: uniform all-to-all, and every pattern of the hose
/// model. Where the two meet, the value is exact.
struct Bisection {
  double upper = 0;  ///< B/s.
  double lower = 0;
  bool is_exact = false;
  double smaller_weight = 0;  ///< Of the two halves.
  double larger_weight = 0;
  std::vector<bool> side;     ///< By node: on which side of the smallest cut found.
};

struct BisectionEffort {
  double most_steps = 2e8;  ///< Of each search for a lower bound (see hose_share), and of trying all halvings.
};

/// `uniform` is that of the same view, if known. `grid` gives its own halvings where the view is one.
Bisection bisection(const FabricView& view, const std::optional<UniformTraffic>& uniform, const Grid* grid, const BisectionEffort& effort);

/// Capacity of the smallest cut between the terminals on either side, in the narrower direction.
double cut_between(const FabricView& view, const std::vector<bool>& side);

}  // namespace rackwright::topologies
