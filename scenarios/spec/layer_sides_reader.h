#pragma once

#include <optional>
#include <vector>

#include "scenarios/spec/pool_spec.h"

namespace rackwright::v1 {
class Pool;
class Scenario;
}  // namespace rackwright::v1

namespace rackwright::scenarios {

class Findings;

/// What a pool says of its side, without what follows from the other one.
LayerSideSpec layer_side_spec(const v1::Pool& written);

/// Makes one instance of the run of every attention pool and of every feed-forward pool. A feed-forward pool takes the limits
/// of the pool that it serves; experts are spread whole over all its devices, dense networks lie in each of its instances,
/// which share the tokens. Sides without the other one, or that do not match, are findings.
void join_layer_sides(const v1::Scenario& scenario, std::vector<PoolSpec>& pools, Findings& findings);

/// The pool that computes the feed-forward networks of this one, or nothing.
std::optional<std::size_t> ffn_pool_of(const std::vector<PoolSpec>& pools, const PoolSpec& attention);

}  // namespace rackwright::scenarios
