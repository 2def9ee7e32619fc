#pragma once

#include <optional>

#include "topologies/analysis/fabric_view.h"

namespace rackwright::topologies {

/// A share rho of their bandwidth at which the terminals can send and receive in any pattern at all (the hose model of Duffield
/// et al., SIGCOMM 1999), because fluid ECMP carries every such pattern: on a link, at most the sum over senders of the most
/// that any of their pairs puts on it, and at most the same sum over receivers. 1 for a non-blocking fabric.
/// Nothing when it would take more than `most_steps`, or when terminals forward (they have no bandwidth of their own).
std::optional<double> hose_share(const FabricView& view, double most_steps);

/// Bandwidth of a terminal: the smaller of what leaves and what enters it, B/s.
std::vector<double> terminal_bandwidth(const FabricView& view);

}  // namespace rackwright::topologies
