#pragma once

#include <optional>

#include "models/cost/collective_cost.h"
#include "scenarios/spec/scenario_spec.h"

namespace rackwright::scenarios {

/// Whether experts or a tensor group of the pool's instances lie in several scale-up domains, joined by their nodes' cards.
bool leaves_scale_up_domain(const PoolSpec& pool, const RackGroupSpec& racks);

/// What joins the devices of an instance inside a domain, and between domains each device's share of its node's cards, at
/// what RDMA reaches of them, and sums in the network's switches if it has any. Nothing where the devices' link is not known.
std::optional<cost::ScaleUpSpec> scale_up_of(const PoolSpec& pool, const RackGroupSpec& racks, const FabricSpec& network);

}  // namespace rackwright::scenarios
