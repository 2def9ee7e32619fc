#pragma once

#include <optional>
#include <string>
#include <vector>

#include "topologies/analysis/bisection.h"
#include "topologies/analysis/failure_impact.h"
#include "topologies/analysis/inventory.h"
#include "topologies/analysis/oversubscription.h"
#include "topologies/analysis/path_diversity.h"
#include "topologies/analysis/uniform_traffic.h"

namespace rackwright::topologies {

struct AnalysisParameters {
  LinkPowerParameters power;
  BisectionEffort bisection;
  FailureEffort failures;
  double uniform_steps = 5e8;  ///< See uniform_traffic.
  int diversity_pairs = 32;    ///< See path_diversity.
};

/// One network at a time: what is between hosts and islands, or what is inside islands of one make.
struct LevelReport {
  std::string name;            ///< "between hosts" or "inside island NAME".
  int alike = 1;               ///< Islands of the same make, of which this is the first.
  int terminals = 0;
  double weight = 0;           ///< Accelerators that the terminals stand for (or terminals, where there are none).
  int switches = 0;
  int cables = 0;
  double separated = 0;        ///< Share of the pairs of accelerators that nothing joins; see separated_share.
  int single_point_nodes = 0;
  int single_point_cables = 0;
  std::optional<UniformTraffic> uniform;  ///< Nothing where it would take too long.
  PathDiversity diversity;
  Bisection bisection;
  std::vector<FailureImpact> failures;
};

/// What `topology inspect` shows.
struct TopologyReport {
  Inventory inventory;
  std::vector<TierOversubscription> tiers;
  PodOversubscription pods;
  std::vector<LevelReport> levels;
};

TopologyReport analyze(const Topology& topology, const AnalysisParameters& parameters);

/// The report as a page of text, sizes with units; what was not computed, sampled or bounded says so.
std::string to_text(const TopologyReport& report);

}  // namespace rackwright::topologies
