#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "topologies/graph/topology.h"

namespace rackwright::topologies {

/// What the two directions of a cable have in common.
struct LinkSpec {
  double bandwidth = 0;  ///< Bytes per second in each direction, all lanes together.
  double latency_s = 0;
  LinkKind kind = LinkKind::other;
  Cable cable = Cable::unknown;
  std::uint16_t lanes = 1;
};

/// Port numbers at both ends of a cable; 0 takes the next free one.
struct Ports {
  std::uint16_t from = 0;
  std::uint16_t to = 0;
};

/// Collects vertices and cables; builders and importers add to one of these.
class TopologyBuilder {
 public:
  /// The name must be new (has() tells); `unique_name` makes one.
  VertexIndex add(Vertex vertex);
  bool has(std::string_view name) const { return by_name_.contains(std::string(name)); }
  std::optional<VertexIndex> find(std::string_view name) const;
  /// `name`, or `name#2`, `name#3` … if that is taken.
  std::string unique_name(std::string_view name);

  /// The domain of that kind and name, made when it is new.
  DomainIndex domain(DomainKind kind, std::string_view name);
  void add_grid(const Grid& grid) { grids_.push_back(grid); }

  /// A cable with the same bandwidth both ways; returns the link from `a` to `b`. The ends must differ.
  LinkIndex connect(VertexIndex a, VertexIndex b, const LinkSpec& spec, Ports ports = {});
  /// A cable whose way back has another bandwidth, or none (0).
  LinkIndex connect_asymmetric(VertexIndex a, VertexIndex b, const LinkSpec& spec, double back_bandwidth, Ports ports = {});

  /// Adds a whole topology, every vertex and domain name behind `prefix`; returns where its vertex 0 went.
  VertexIndex append(const Topology& part, std::string_view prefix);

  std::size_t vertex_count() const { return vertices_.size(); }
  std::size_t cable_count() const { return links_.size() / 2; }
  const Vertex& operator[](VertexIndex vertex) const { return vertices_[vertex.value]; }
  Vertex& operator[](VertexIndex vertex) { return vertices_[vertex.value]; }
  const Link& operator[](LinkIndex link) const { return links_[link.value]; }

  /// Leaves the builder empty.
  Topology build();

 private:
  std::uint16_t take_port(VertexIndex vertex, std::uint16_t wanted);

  std::vector<Vertex> vertices_;
  std::vector<Link> links_;
  std::vector<FailureDomain> domains_;
  std::vector<Grid> grids_;
  std::vector<std::uint16_t> last_port_;
  std::unordered_map<std::string, std::uint32_t> by_name_;
  std::unordered_map<std::string, std::uint32_t> by_domain_;
  std::unordered_map<std::string, int> last_suffix_;
};

}  // namespace rackwright::topologies
