#include "topologies/graph/bundle.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>

#include "topologies/graph/topology_builder.h"

namespace rackwright::topologies {

namespace {

/// Kind, tier, the domains (those bundled across in the last element), and the place among equals.
using VertexKey = std::tuple<VertexKind, int, std::array<DomainIndex, domain_kind_count>>;

/// Two vertices, canonical order, kind, and which of the cables between the same two original ends.
using CableKey = std::tuple<VertexIndex, VertexIndex, LinkKind, std::uint32_t>;

struct CableSum {
  LinkSpec spec;
  double back = 0;
  std::vector<std::uint32_t> members;  ///< Even links of the original.
};

bool is_bundled(const Vertex& vertex, std::span<const DomainKind> across) {
  return std::ranges::any_of(across, [&](DomainKind kind) { return vertex.in(kind) != no_domain; });
}

class Bundler {
 public:
  Bundler(const Topology& topology, std::span<const DomainKind> across) : topology_(topology), across_(across) {}

  Bundle run() {
    for (const FailureDomain& domain : topology_.domains()) domains_.push_back(builder_.domain(domain.kind, domain.name));
    merge_vertices();
    merge_cables();
    for (const Grid& grid : topology_.grids()) {
      const std::uint32_t first = result_.vertex_of[grid.first.value].value;
      bool intact = true;
      for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(grid.count()); ++i)
        intact = intact && result_.vertex_of[grid.first.value + i].value == first + i;
      if (intact) builder_.add_grid({{first}, grid.size, grid.wraps});
    }
    result_.topology = builder_.build();
    return std::move(result_);
  }

 private:
  /// The vertex into which the `n`-th vertex of this key and these bundled domains goes.
  void merge_vertices() {
    std::map<VertexKey, std::uint32_t> seen;  // With the bundled domains kept: counts equals within one rail.
    std::map<std::pair<VertexKey, std::uint32_t>, VertexIndex> merged;
    for (std::uint32_t i = 0; i < topology_.vertex_count(); ++i) {
      Vertex vertex = topology_.vertices()[i];
      if (!is_bundled(vertex, across_)) {
        result_.vertex_of.push_back(add(std::move(vertex)));
        continue;
      }
      // A rack may hold the leaves of some rails only, so it does not tell bundles apart.
      vertex.in(DomainKind::rack) = no_domain;
      const std::uint32_t ordinal = seen[{vertex.kind, vertex.tier, vertex.domains}]++;
      for (const DomainKind kind : across_) vertex.in(kind) = no_domain;
      const std::pair key{VertexKey{vertex.kind, vertex.tier, vertex.domains}, ordinal};
      const auto place = merged.find(key);
      if (place != merged.end()) {
        Vertex& whole = builder_[place->second];
        whole.ports = static_cast<std::uint16_t>(std::min(65535, whole.ports + vertex.ports));
        result_.vertex_of.push_back(place->second);
      } else {
        const VertexIndex whole = add(std::move(vertex));
        merged.emplace(key, whole);
        result_.vertex_of.push_back(whole);
      }
    }
  }

  VertexIndex add(Vertex vertex) {
    for (DomainIndex& in : vertex.domains)
      if (in != no_domain) in = domains_[in.value];
    return builder_.add(std::move(vertex));
  }

  void merge_cables() {
    std::map<std::tuple<VertexIndex, VertexIndex, LinkKind>, std::uint32_t> parallel;  // Between the same original ends.
    std::map<CableKey, CableSum> sums;
    std::vector<const CableSum*> in_order;
    const std::span<const Link> links = topology_.links();
    for (std::uint32_t i = 0; i < links.size(); i += 2) {
      // Canonical order, so that cables laid from either end meet.
      std::uint32_t there = i;
      if (result_.vertex_of[links[i].from.value] > result_.vertex_of[links[i].to.value]) there = i + 1;
      const Link& link = links[there];
      const VertexIndex from = result_.vertex_of[link.from.value];
      const VertexIndex to = result_.vertex_of[link.to.value];
      if (from == to) continue;
      const std::uint32_t ordinal = parallel[{link.from, link.to, link.kind}]++;
      const auto [place, is_new] = sums.try_emplace(CableKey{from, to, link.kind, ordinal});
      CableSum& sum = place->second;
      if (is_new) {
        sum.spec = {0, 0, link.kind, link.cable, 0};
        in_order.push_back(&sum);
      }
      sum.spec.bandwidth += link.bandwidth;
      sum.back += links[there ^ 1u].bandwidth;
      sum.spec.latency_s = std::max(sum.spec.latency_s, link.latency_s);
      sum.spec.lanes = static_cast<std::uint16_t>(std::min(65535, sum.spec.lanes + link.lanes));
      sum.members.push_back(there);
    }
    result_.link_of.resize(links.size());
    for (const CableSum* sum : in_order) {
      const Link& first = links[sum->members.front()];
      const LinkIndex whole = builder_.connect_asymmetric(result_.vertex_of[first.from.value], result_.vertex_of[first.to.value],
                                                          sum->spec, sum->back);
      for (const std::uint32_t member : sum->members) {
        result_.link_of[member] = whole;
        result_.link_of[member ^ 1u] = reverse(whole);
      }
    }
  }

  const Topology& topology_;
  std::span<const DomainKind> across_;
  TopologyBuilder builder_;
  std::vector<DomainIndex> domains_;
  Bundle result_;
};

}  // namespace

Bundle bundle(const Topology& topology, std::span<const DomainKind> across) { return Bundler(topology, across).run(); }

}  // namespace rackwright::topologies
