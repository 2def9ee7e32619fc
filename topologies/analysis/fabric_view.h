#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "topologies/graph/topology.h"

namespace rackwright::topologies {

/// A topology as the analyses see it: nodes that send and receive (terminals) and nodes that only forward.
struct FabricView {
  struct Node {
    std::string name;
    double weight = 0;       ///< Of a terminal: the accelerators that it stands for, or 1; 0 for others.
    bool forwards = true;
  };
  struct Cable {
    std::uint32_t a = 0;
    std::uint32_t b = 0;
    double there = 0;        ///< B/s from a to b.
    double back = 0;
    LinkIndex link;          ///< The even link of the topology that this is.
  };

  std::vector<Node> nodes;
  std::vector<Cable> cables;
  double total_weight() const;
  std::vector<std::uint32_t> terminals() const;  ///< Nodes of weight above 0, ascending.
  bool is_terminal_cable(const Cable& cable) const;  ///< One end is a terminal that does not forward.
};

/// What is between hosts: every host, together with the scale-up island that it belongs to, is one terminal, whose weight
/// is its accelerators or 1. Vertices without either stay as they are; plain nodes are terminals that forward.
FabricView view_between_hosts(const Topology& topology);

/// What is inside one scale-up island: its accelerators are terminals, its switches forward.
FabricView view_inside_island(const Topology& topology, DomainIndex island);

/// The view with what is left of its cables: `left` is the share of the bandwidth, by cable of the topology
/// (LinkIndex / 2). Those with nothing left are gone.
FabricView with_losses(const FabricView& view, const std::vector<float>& left);

/// Terminals that do not forward and hang on the same nodes by the same bandwidths are twins: what holds for one holds for
/// all. This view has one node for each such set, with their summed weight and bandwidths.
struct TwinView {
  FabricView view;
  std::vector<std::uint32_t> node_of;  ///< By node of the original.
  std::vector<double> inner_pairs;     ///< By node: the sum of the products of weights over ordered pairs of different twins.
};
TwinView merge_twins(const FabricView& view);

/// The arcs of a view by the node that they leave; arcs without bandwidth are left out.
class ArcIndex {
 public:
  struct Arc {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    double bandwidth = 0;
    std::uint32_t cable = 0;  ///< Position in FabricView::cables.
  };
  explicit ArcIndex(const FabricView& view);
  std::span<const Arc> all() const { return arcs_; }
  std::span<const Arc> out(std::uint32_t node) const { return std::span(arcs_).subspan(first_[node], first_[node + 1] - first_[node]); }
  /// Positions in all() of the arcs that enter a node.
  std::span<const std::uint32_t> in(std::uint32_t node) const { return std::span(in_).subspan(first_in_[node], first_in_[node + 1] - first_in_[node]); }

 private:
  std::vector<Arc> arcs_;
  std::vector<std::size_t> first_;
  std::vector<std::uint32_t> in_;
  std::vector<std::size_t> first_in_;
};

/// Hops from every node to `target` through nodes that forward; -1 out of reach.
/// `order` gets the nodes that reach it, nearest first.
std::vector<int> hops_to(const FabricView& view, const ArcIndex& arcs, std::uint32_t target, std::vector<std::uint32_t>& order);

}  // namespace rackwright::topologies
