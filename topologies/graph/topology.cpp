#include "topologies/graph/topology.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>

#include "models/base/invariant.h"

namespace rackwright::topologies {

std::array<int, 3> Grid::position(VertexIndex vertex) const {
  const int offset = static_cast<int>(vertex.value - first.value);
  return {offset % size[0], offset / size[0] % size[1], offset / (size[0] * size[1])};
}

VertexIndex Grid::at(std::array<int, 3> position) const {
  return {first.value + static_cast<std::uint32_t>(position[0] + size[0] * (position[1] + size[1] * position[2]))};
}

int Grid::hops(VertexIndex a, VertexIndex b) const {
  const auto pa = position(a);
  const auto pb = position(b);
  int sum = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    const int along = std::abs(pa[d] - pb[d]);
    sum += wraps[d] ? std::min(along, size[d] - along) : along;
  }
  return sum;
}

Topology::Topology(std::vector<Vertex> vertices, std::vector<Link> links, std::vector<FailureDomain> domains,
                   std::vector<Grid> grids)
    : vertices_(std::move(vertices)), links_(std::move(links)), domains_(std::move(domains)), grids_(std::move(grids)) {
  index_links();
  index_domains();
  index_names();
}

void Topology::index_links() {
  first_out_.assign(vertices_.size() + 1, 0);
  out_links_.resize(links_.size());
  for (std::uint32_t i = 0; i < links_.size(); ++i) {
    const Link& link = links_[i];
    const Link& back = links_[reverse(LinkIndex{i}).value];
    invariant(link.from == back.to && link.to == back.from && link.from != link.to, "links come in pairs and leave their vertex");
    ++first_out_[link.from.value + 1];
  }
  std::partial_sum(first_out_.begin(), first_out_.end(), first_out_.begin());
  std::vector<std::uint32_t> next(first_out_.begin(), first_out_.end() - 1);
  for (std::uint32_t i = 0; i < links_.size(); ++i) out_links_[next[links_[i].from.value]++] = {i};
}

void Topology::index_domains() {
  first_member_.assign(domains_.size() + 1, 0);
  for (const Vertex& vertex : vertices_)
    for (const DomainIndex domain : vertex.domains)
      if (domain != no_domain) ++first_member_[domain.value + 1];
  std::partial_sum(first_member_.begin(), first_member_.end(), first_member_.begin());
  members_.resize(first_member_.back());
  std::vector<std::uint32_t> next(first_member_.begin(), first_member_.end() - 1);
  for (std::uint32_t i = 0; i < vertices_.size(); ++i)
    for (const DomainIndex domain : vertices_[i].domains)
      if (domain != no_domain) members_[next[domain.value]++] = {i};
}

void Topology::index_names() {
  for (std::uint32_t i = 0; i < vertices_.size(); ++i) by_name_.push_back({i});
  std::ranges::sort(by_name_, {}, [this](VertexIndex v) -> std::string_view { return vertices_[v.value].name; });
}

std::optional<VertexIndex> Topology::find(std::string_view name) const {
  const auto name_of = [this](VertexIndex v) -> std::string_view { return vertices_[v.value].name; };
  const auto place = std::ranges::lower_bound(by_name_, name, {}, name_of);
  if (place == by_name_.end() || name_of(*place) != name) return std::nullopt;
  return *place;
}

std::vector<VertexIndex> endpoints(const Topology& topology) {
  std::vector<VertexIndex> found;
  for (const VertexKind kind : {VertexKind::accelerator, VertexKind::host, VertexKind::nic, VertexKind::processor, VertexKind::node}) {
    for (std::uint32_t i = 0; i < topology.vertex_count(); ++i)
      if (topology.vertices()[i].kind == kind) found.push_back({i});
    if (!found.empty()) return found;
  }
  for (std::uint32_t i = 0; i < topology.vertex_count(); ++i) found.push_back({i});
  return found;
}

}  // namespace rackwright::topologies
