#pragma once

#include <optional>
#include <string>
#include <vector>

#include "topologies/analysis/bisection.h"

namespace rackwright::topologies {

/// What the loss of one thing of a kind costs: each figure is the largest over those looked at.
struct FailureImpact {
  std::string what;        ///< "infiniband cable leaf-spine", "rail" …
  int count = 0;           ///< How many of the kind there are.
  int examined = 0;        ///< How many of them were taken out, one at a time, spread evenly over the kind.
  std::string worst;       ///< Name of the one that cuts most off or, where none does, costs most bandwidth.
  double cut_off = 0;      ///< Share of the ordered pairs of accelerators that no longer reach each other.
  std::optional<double> uniform_loss;  ///< Share of the all-to-all bandwidth (of those that still reach each other) that is lost.
  double bisection_loss = 0;           ///< Share of the bandwidth across the healthy bisection that is lost.
};

struct FailureEffort {
  double most_steps = 2e8;  ///< Of one all-to-all; see uniform_traffic.
  /// Of all together, in nodes and cables looked at; decides how many of a kind are examined. One of each, up to ten times this.
  double all_steps = 3e8;
};

/// Each single cable (one lane of those that stand for several), switch (or accelerator that forwards), rail and plane of what `view` shows of `topology`. `healthy` is the bisection of the view.
std::vector<FailureImpact> failure_impacts(const Topology& topology, const FabricView& view, const Bisection& healthy,
                                           const std::optional<UniformTraffic>& uniform, const FailureEffort& effort);

}  // namespace rackwright::topologies
