#pragma once

#include <map>
#include <optional>
#include <span>

#include "models/cost/collective_cost.h"
#include "models/cost/grid_table.h"
#include "models/cost/operator_profile.h"

namespace rackwright::cost {

/// Collectives from measured tables, one per operation and number of ranks.
///
/// A number of ranks with a table of its own takes it: between two measured sizes the line in the logarithms of both, since
/// sizes are taken in doubling steps (measured); beyond them the edge's line (extrapolated). A number between two measured
/// ones takes the line in the logarithms of ranks and time: extrapolated, whatever the size, as a library may change its
/// algorithm with every number. A number below or above all measured ones has no time here.
class MeasuredCollectives {
 public:
  /// Takes the points of collectives by this kernel and leaves the others.
  explicit MeasuredCollectives(std::span<const ProfilePoint> points, CollectiveKernel kernel = CollectiveKernel::library);

  std::optional<CollectiveTime> time(const llm::Operator& op) const;

 private:
  std::map<llm::OperatorKind, std::map<int, GridTable>> tables_;  ///< By operation and ranks, seconds over bytes.
};

}  // namespace rackwright::cost
