#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "topologies/graph/index.h"
#include "topologies/graph/link.h"
#include "topologies/graph/vertex.h"

namespace rackwright::topologies {

/// Vertices `first` onwards stand on a grid, x fastest: first + x + size[0] · (y + size[1] · z).
/// Routing and analysis use its closed forms instead of searching.
struct Grid {
  VertexIndex first;
  std::array<int, 3> size{1, 1, 1};
  std::array<bool, 3> wraps{};

  int count() const { return size[0] * size[1] * size[2]; }
  bool contains(VertexIndex vertex) const {
    return vertex.value >= first.value && vertex.value - first.value < static_cast<std::uint32_t>(count());
  }
  std::array<int, 3> position(VertexIndex vertex) const;
  VertexIndex at(std::array<int, 3> position) const;
  /// Fewest hops between two of its vertices.
  int hops(VertexIndex a, VertexIndex b) const;
};

/// Vertices and directed links, fixed once built (TopologyBuilder). Every link has its reverse at index ^ 1;
/// several links may join the same two vertices; none joins a vertex to itself.
class Topology {
 public:
  Topology() = default;
  /// `links` come in pairs; names are unique. TopologyBuilder sees to both.
  Topology(std::vector<Vertex> vertices, std::vector<Link> links, std::vector<FailureDomain> domains,
           std::vector<Grid> grids);

  std::span<const Vertex> vertices() const { return vertices_; }
  std::span<const Link> links() const { return links_; }
  std::span<const FailureDomain> domains() const { return domains_; }
  std::span<const Grid> grids() const { return grids_; }
  std::size_t vertex_count() const { return vertices_.size(); }
  std::size_t cable_count() const { return links_.size() / 2; }

  const Vertex& operator[](VertexIndex vertex) const { return vertices_[vertex.value]; }
  const Link& operator[](LinkIndex link) const { return links_[link.value]; }
  const FailureDomain& operator[](DomainIndex domain) const { return domains_[domain.value]; }

  /// In order of creation, those without bandwidth too. Their reverses are the incoming ones.
  std::span<const LinkIndex> out_links(VertexIndex vertex) const {
    return std::span(out_links_).subspan(first_out_[vertex.value], first_out_[vertex.value + 1] - first_out_[vertex.value]);
  }

  std::optional<VertexIndex> find(std::string_view name) const;
  /// Vertices of one failure domain, in order.
  std::span<const VertexIndex> members(DomainIndex domain) const {
    return std::span(members_).subspan(first_member_[domain.value], first_member_[domain.value + 1] - first_member_[domain.value]);
  }

 private:
  void index_links();
  void index_domains();
  void index_names();

  std::vector<Vertex> vertices_;
  std::vector<Link> links_;
  std::vector<FailureDomain> domains_;
  std::vector<Grid> grids_;
  std::vector<std::uint32_t> first_out_{0};
  std::vector<LinkIndex> out_links_;
  std::vector<std::uint32_t> first_member_{0};
  std::vector<VertexIndex> members_;
  std::vector<VertexIndex> by_name_;
};

/// The vertices between which people send: accelerators if there are any, else hosts, else NICs,
/// else processors, else nodes, else every vertex.
std::vector<VertexIndex> endpoints(const Topology& topology);

}  // namespace rackwright::topologies
