#pragma once

#include "topologies/analysis/fabric_view.h"

namespace rackwright::topologies {

/// How many ways there are between two terminals.
struct PathDiversity {
  int pairs = 0;               ///< Pairs looked at; all pairs of kinds of terminals if there are few, else spread over them.
  int fewest_disjoint = 0;     ///< Paths that share no cable (max-flow over cables, of any length).
  int most_disjoint = 0;
  double fewest_shortest = 0;  ///< Shortest paths, parallel cables counted apart.
  double most_shortest = 0;
};

PathDiversity path_diversity(const FabricView& view, int most_pairs);

}  // namespace rackwright::topologies
