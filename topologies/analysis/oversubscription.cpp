#include "topologies/analysis/oversubscription.h"

#include <algorithm>
#include <map>
#include <utility>

namespace rackwright::topologies {

namespace {

bool is_switch(const Vertex& vertex) { return vertex.kind == VertexKind::network_switch || vertex.kind == VertexKind::scale_up_switch; }

}  // namespace

std::vector<TierOversubscription> oversubscription_by_tier(const Topology& topology) {
  std::map<int, TierOversubscription> tiers;
  for (std::uint32_t v = 0; v < topology.vertex_count(); ++v) {
    const Vertex& vertex = topology.vertices()[v];
    if (vertex.kind != VertexKind::network_switch || vertex.tier == 0) continue;
    double down = 0;
    double up = 0;
    for (const LinkIndex link : topology.out_links({v})) {
      const Vertex& other = topology[topology[link].to];
      if (other.kind == VertexKind::aggregation_node) continue;
      if (!is_switch(other) || other.tier < vertex.tier) down += topology[reverse(link)].bandwidth;
      if (is_switch(other) && other.tier > vertex.tier) up += topology[link].bandwidth;
    }
    if (up == 0 || down == 0) continue;
    TierOversubscription& tier = tiers[vertex.tier];
    tier.tier = vertex.tier;
    tier.least = tier.switches == 0 ? down / up : std::min(tier.least, down / up);
    tier.most = std::max(tier.most, down / up);
    ++tier.switches;
    tier.down += down;
    tier.up += up;
  }
  std::vector<TierOversubscription> found;
  for (const auto& [number, tier] : tiers) found.push_back(tier);
  return found;
}

PodOversubscription oversubscription_of_pods(const Topology& topology) {
  std::map<DomainIndex, std::pair<double, double>> in_and_out;
  for (const Link& link : topology.links()) {
    const Vertex& from = topology[link.from];
    const Vertex& to = topology[link.to];
    const DomainIndex pod = to.in(DomainKind::pod);
    if (from.kind == VertexKind::aggregation_node) continue;
    if (is_switch(to) && !is_switch(from) && pod != no_domain) in_and_out[pod].first += link.bandwidth;
    if (is_switch(from) && is_switch(to) && from.in(DomainKind::pod) != no_domain && from.in(DomainKind::pod) != pod)
      in_and_out[from.in(DomainKind::pod)].second += link.bandwidth;
  }
  PodOversubscription pods;
  for (const auto& [pod, bandwidth] : in_and_out) {
    const auto& [in, out] = bandwidth;
    if (in == 0 || out == 0) continue;
    pods.least = pods.pods == 0 ? in / out : std::min(pods.least, in / out);
    pods.most = std::max(pods.most, in / out);
    ++pods.pods;
  }
  return pods;
}

}  // namespace rackwright::topologies
