#include "topologies/builders/fat_tree.h"

#include <cmath>
#include <string>

#include <fmt/format.h>

#include "models/base/invariant.h"
#include "topologies/builders/parameter_check.h"

namespace rackwright::topologies {

namespace {

int nics_per_edge(const FatTreeParameters& p) { return static_cast<int>(std::lround(p.k / 2 * p.oversubscription)); }

VertexIndex add_switch(TopologyBuilder& builder, const FatTreeParameters& p, std::string name, int tier, DomainIndex pod) {
  Vertex vertex;
  vertex.name = std::move(name);
  vertex.kind = VertexKind::network_switch;
  vertex.forwarding = Forwarding::always;
  vertex.tier = static_cast<std::int8_t>(tier);
  vertex.reduces = p.reduces;
  vertex.ports = static_cast<std::uint16_t>(tier == 1 ? p.k / 2 + nics_per_edge(p) : p.k);
  vertex.in(DomainKind::pod) = pod;
  return builder.add(std::move(vertex));
}

}  // namespace

int FatTreeParameters::capacity() const { return k * (k / 2) * nics_per_edge(*this); }

void check(const FatTreeParameters& p, int nics, std::string_view path, Diagnostics& diagnostics) {
  ParameterCheck check(path, diagnostics);
  const int errors = diagnostics.error_count();
  check.at_least("k", p.k, 2);
  check.holds(p.k % 2 == 0 && p.k <= 1024, "k", fmt::format("{} is not an even number up to 1024", p.k));
  check.positive("oversubscription", p.oversubscription);
  check.positive("bandwidth", p.bandwidth);
  check.at_least("nic_latency_s", p.nic_latency_s, 0);
  check.at_least("switch_latency_s", p.switch_latency_s, 0);
  if (diagnostics.error_count() > errors) return;
  const double down = p.k / 2 * p.oversubscription;
  check.holds(std::abs(down - std::round(down)) < 1e-9 && down >= 1, "oversubscription",
              fmt::format("{} · {} is not a whole number of ports", p.k / 2, p.oversubscription));
  const double capacity = double{1} * p.k * (p.k / 2) * down;
  check.vertices(capacity + 1.25 * p.k * p.k);
  check.holds(nics <= capacity, "k", fmt::format("{} NICs do not fit on {:.0f} ports", nics, capacity));
}

void add_fat_tree(TopologyBuilder& builder, const FatTreeParameters& p, std::span<const HostPorts> hosts, std::string_view name) {
  const int half = p.k / 2;
  const auto at = [](int n) { return static_cast<std::size_t>(n); };
  const auto link = [&](double end_latency_s, Cable cable) {
    return LinkSpec{p.bandwidth, link_latency_s(end_latency_s, p.switch_latency_s, cable), p.kind, cable};
  };
  std::vector<VertexIndex> cores;
  for (int c = 0; c < half * half; ++c) cores.push_back(add_switch(builder, p, fmt::format("{}/core{}", name, c), 3, no_domain));
  std::vector<VertexIndex> edges;
  for (int pod = 0; pod < p.k; ++pod) {
    const DomainIndex domain = builder.domain(DomainKind::pod, fmt::format("{}/pod{}", name, pod));
    for (int e = 0; e < half; ++e) edges.push_back(add_switch(builder, p, fmt::format("{}/edge{}", name, pod * half + e), 1, domain));
    for (int a = 0; a < half; ++a) {
      const VertexIndex aggregation = add_switch(builder, p, fmt::format("{}/agg{}", name, pod * half + a), 2, domain);
      for (int e = 0; e < half; ++e) builder.connect(edges[at(pod * half + e)], aggregation, link(p.switch_latency_s, p.pod_cable));
      for (int c = 0; c < half; ++c) builder.connect(aggregation, cores[at(a * half + c)], link(p.switch_latency_s, p.core_cable));
    }
  }

  std::size_t placed = 0;
  for (const HostPorts& host : hosts)
    for (const VertexIndex nic : host.nics) {
      const std::size_t edge = placed++ / at(nics_per_edge(p));
      invariant(edge < edges.size(), "check() has seen that the NICs fit");
      builder.connect(nic, edges[edge], link(p.nic_latency_s, p.host_cable));
      const DomainIndex pod = builder[edges[edge]].in(DomainKind::pod);
      builder[nic].in(DomainKind::pod) = pod;
      for (const auto* group : {&host.accelerators, &host.processors})
        for (const VertexIndex vertex : *group) builder[vertex].in(DomainKind::pod) = pod;
    }
}

}  // namespace rackwright::topologies
