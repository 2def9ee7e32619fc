#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "topologies/graph/topology_builder.h"
#include "topologies/importers/union_find.h"

namespace rackwright::topologies {

/// A link as SimGrid has it: something that routes cross, with no ends of its own.
struct RoutedLink {
  std::string name;
  LinkSpec spec;
};

/// Makes a graph out of routes over links, by the rules that import_simgrid states. Vertices are those of the builder.
class RouteGraph {
 public:
  enum class Direction { there, both_ways };

  explicit RouteGraph(TopologyBuilder& builder) : builder_(builder) {}

  std::uint32_t add_link(RoutedLink link);
  const RoutedLink& link(std::uint32_t index) const { return links_[index]; }
  /// A route from one vertex to another over at least one link.
  void add_route(VertexIndex from, VertexIndex to, const std::vector<std::uint32_t>& over, Direction direction);

  /// Adds cables, junctions and shared links to the builder; call once. Links that no route crosses are left out.
  void connect();
  std::size_t shared_links() const { return shared_; }

 private:
  /// A vertex of the builder or, from `first_link` on, a link.
  using Element = std::uint32_t;
  static constexpr Element first_link = 0x80000000u;

  struct Routed {
    std::set<std::pair<Element, Element>> crossings;  ///< What comes before and after it on some route.
    std::map<Element, std::size_t> side;              ///< Of each neighbour, 0 or 1; every crossing changes sides.
    bool is_shared = false;
    VertexIndex in;                                   ///< Of a shared link.
    VertexIndex out;
  };

  bool split_neighbours(Routed& routed) const;
  /// Lets all ends meet that routes join; finds links for which that cannot be and makes them shared. False if it found any.
  bool unite_ends();
  std::size_t end(std::uint32_t link, Element facing) const;
  void unite(std::uint32_t link, Element neighbour);
  VertexIndex vertex_at(std::size_t end);
  void add_cable(std::uint32_t link);
  void add_shared(std::uint32_t link);
  void join_shared(std::uint32_t link);
  void join_once(VertexIndex from, VertexIndex to, const LinkSpec& spec);

  TopologyBuilder& builder_;
  std::vector<RoutedLink> links_;
  std::vector<Routed> routed_;
  std::size_t vertices_ = 0;
  std::size_t shared_ = 0;
  UnionFind meets_{0};  ///< Over the vertices and both ends of every link.
  std::map<std::size_t, VertexIndex> junctions_;
  std::set<std::pair<VertexIndex, VertexIndex>> joined_;
};

}  // namespace rackwright::topologies
