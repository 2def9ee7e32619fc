#pragma once

#include "topologies/analysis/fabric_view.h"

namespace rackwright::topologies {

/// How many ways there are between two terminals.
struct PathDiversity {
  int pairs = 0;               ///< Pairs looked at.
  int fewest_disjoint = 0;     ///< Paths that share no cable (max-flow over cables, of any length).
  int most_disjoint = 0;
  double fewest_shortest = 0;  ///< Shortest paths, parallel cables counted apart.
  double most_shortest = 0;
};

/// Over all pairs of terminals (two of each set of twins), or of as many, spread evenly, as make at most `most_pairs`.
PathDiversity path_diversity(const FabricView& view, int most_pairs);

}  // namespace rackwright::topologies
