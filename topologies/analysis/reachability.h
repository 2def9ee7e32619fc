#pragma once

#include "topologies/analysis/fabric_view.h"

namespace rackwright::topologies {

/// Share of the ordered pairs of terminals, by the product of their weights, that no path through forwarding nodes joins.
double separated_share(const FabricView& view);

/// Nodes and cables whose loss alone separates terminals or nodes that forward.
struct SinglePoints {
  std::vector<std::uint32_t> nodes;   ///< That forward.
  std::vector<std::uint32_t> cables;  ///< Positions in FabricView::cables.
};
SinglePoints single_points_of_failure(const FabricView& view);

}  // namespace rackwright::topologies
