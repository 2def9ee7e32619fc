#include "topologies/builders/leaf_spine.h"

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "topologies/builders/parameter_check.h"

namespace rackwright::topologies {

namespace {

int divide_up(int a, int b) { return a / b + (a % b != 0 ? 1 : 0); }

class LeafSpineWiring {
 public:
  LeafSpineWiring(TopologyBuilder& builder, const LeafSpineParameters& parameters, std::span<const HostPorts> hosts, std::string_view name)
      : builder_(builder), p_(parameters), hosts_(hosts), name_(name) {
    pods_ = divide_up(static_cast<int>(hosts.size()), p_.hosts_per_pod);
    per_block_ = p_.pods_per_block == 0 ? std::max(pods_, 1) : p_.pods_per_block;
    for (int r = 0; r < p_.rails; ++r) rails_.push_back(builder.domain(DomainKind::rail, fmt::format("{}/rail{}", name, r)));
  }

  void run() {
    for (int pod = 0; pod < pods_; ++pod) add_pod(pod);
    for (int block = 0; block * per_block_ < pods_; ++block) add_spines(block);
    add_cores();
  }

 private:
  VertexIndex add_switch(std::string_view what, std::size_t number, int tier, DomainIndex pod, DomainIndex rail) {
    Vertex vertex;
    vertex.name = fmt::format("{}/{}{}", name_, what, number);
    vertex.kind = VertexKind::network_switch;
    vertex.forwarding = Forwarding::always;
    vertex.tier = static_cast<std::int8_t>(tier);
    vertex.reduces = p_.reduces;
    vertex.ports = static_cast<std::uint16_t>(p_.switch_ports);
    vertex.in(DomainKind::pod) = pod;
    vertex.in(DomainKind::rail) = rail;
    return builder_.add(std::move(vertex));
  }

  void add_pod(int pod) {
    const DomainIndex domain = builder_.domain(DomainKind::pod, fmt::format("{}/pod{}", name_, pod));
    const std::size_t first = leaves_.size();
    for (const DomainIndex rail : rails_) leaves_.push_back(add_switch("leaf", leaves_.size(), 1, domain, rail));
    const LinkSpec spec{p_.host_bandwidth, link_latency_s(p_.nic_latency_s, p_.switch_latency_s, p_.host_cable), p_.kind, p_.host_cable};
    const auto begin = static_cast<std::size_t>(pod * p_.hosts_per_pod);
    const std::size_t count = std::min(hosts_.size() - begin, static_cast<std::size_t>(p_.hosts_per_pod));
    for (const HostPorts& host : hosts_.subspan(begin, count)) {
      for (std::size_t n = 0; n < host.nics.size(); ++n) {
        const std::size_t rail = n % rails_.size();
        builder_[host.nics[n]].in(DomainKind::rail) = rails_[rail];
        builder_.connect(host.nics[n], leaves_[first + rail], spec);
      }
      for (const auto* group : {&host.accelerators, &host.processors, &host.nics})
        for (const VertexIndex vertex : *group) builder_[vertex].in(DomainKind::pod) = domain;
    }
  }

  void add_spines(int block) {
    const std::size_t first = spines_.size();
    const int groups = p_.sharing == SpineSharing::per_rail ? p_.rails : 1;
    const int per_group = p_.spines_per_block / groups;
    for (int s = 0; s < per_group * groups; ++s)
      spines_.push_back(add_switch("spine", spines_.size(), 2, no_domain, groups > 1 ? rails_[static_cast<std::size_t>(s / per_group)] : no_domain));

    const LinkSpec spec = switch_link(p_.spine_cable);
    const auto first_leaf = static_cast<std::size_t>(block * per_block_ * p_.rails);
    const auto end_leaf = static_cast<std::size_t>(std::min((block + 1) * per_block_, pods_) * p_.rails);
    for (std::size_t leaf = first_leaf; leaf < end_leaf; ++leaf) {
      const std::size_t rail = leaf % rails_.size();
      const std::size_t group = groups > 1 ? rail : 0;
      // Starting where the leaf before stopped keeps the spines even when the uplinks do not divide by them.
      const std::size_t number = groups > 1 ? leaf / rails_.size() : leaf;
      spread(leaves_[leaf], std::span(spines_).subspan(first + group * static_cast<std::size_t>(per_group), static_cast<std::size_t>(per_group)),
             p_.uplinks_per_leaf, number, spec);
    }
  }

  void add_cores() {
    if (p_.cores == 0) return;
    const int groups = p_.sharing == SpineSharing::per_rail ? p_.rails : 1;
    const int per_group = p_.cores / groups;
    std::vector<VertexIndex> cores;
    for (int c = 0; c < per_group * groups; ++c)
      cores.push_back(add_switch("core", cores.size(), 3, no_domain, groups > 1 ? rails_[static_cast<std::size_t>(c / per_group)] : no_domain));
    const LinkSpec spec = switch_link(p_.core_cable);
    std::vector<std::size_t> seen(static_cast<std::size_t>(groups), 0);
    for (const VertexIndex spine : spines_) {
      std::size_t group = 0;
      if (groups > 1) group = static_cast<std::size_t>(std::ranges::find(rails_, builder_[spine].in(DomainKind::rail)) - rails_.begin());
      spread(spine, std::span(cores).subspan(group * static_cast<std::size_t>(per_group), static_cast<std::size_t>(per_group)),
             p_.uplinks_per_spine, seen[group]++, spec);
    }
  }

  /// Lays `uplinks` cables from `below` over `above` in turn, starting where the `number`-th switch should.
  void spread(VertexIndex below, std::span<const VertexIndex> above, int uplinks, std::size_t number, const LinkSpec& spec) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(uplinks); ++i)
      builder_.connect(below, above[(number * static_cast<std::size_t>(uplinks) + i) % above.size()], spec);
  }

  LinkSpec switch_link(Cable cable) const {
    return {p_.switch_bandwidth, link_latency_s(p_.switch_latency_s, p_.switch_latency_s, cable), p_.kind, cable};
  }

  TopologyBuilder& builder_;
  const LeafSpineParameters& p_;
  std::span<const HostPorts> hosts_;
  std::string name_;
  int pods_ = 0;
  int per_block_ = 1;
  std::vector<DomainIndex> rails_;
  std::vector<VertexIndex> leaves_;
  std::vector<VertexIndex> spines_;
};

}  // namespace

void check(const LeafSpineParameters& p, int hosts, int nics_per_host, std::string_view path, Diagnostics& diagnostics) {
  ParameterCheck check(path, diagnostics);
  const int errors = diagnostics.error_count();
  check.at_least("rails", p.rails, 1);
  check.at_least("hosts_per_pod", p.hosts_per_pod, 1);
  check.at_least("pods_per_block", p.pods_per_block, 0);
  check.at_least("spines_per_block", p.spines_per_block, 1);
  check.at_least("uplinks_per_leaf", p.uplinks_per_leaf, 1);
  check.at_least("cores", p.cores, 0);
  check.at_least("uplinks_per_spine", p.uplinks_per_spine, p.cores > 0 ? 1 : 0);
  check.at_least("switch_ports", p.switch_ports, 0);
  check.holds(p.switch_ports < 65536, "switch_ports", fmt::format("{} is more than 65535", p.switch_ports));
  check.positive("host_bandwidth", p.host_bandwidth);
  check.positive("switch_bandwidth", p.switch_bandwidth);
  check.at_least("nic_latency_s", p.nic_latency_s, 0);
  check.at_least("switch_latency_s", p.switch_latency_s, 0);
  check.vertices(double{1} * hosts * nics_per_host + double{1} * p.rails * hosts + p.spines_per_block + p.cores);
  if (diagnostics.error_count() > errors) return;

  const int pods = divide_up(hosts, p.hosts_per_pod);
  const int pods_per_block = p.pods_per_block == 0 ? std::max(pods, 1) : p.pods_per_block;
  const int blocks = divide_up(pods, pods_per_block);
  if (p.sharing == SpineSharing::per_rail) {
    check.holds(p.spines_per_block % p.rails == 0, "spines_per_block",
                fmt::format("{} spines do not divide over {} rails", p.spines_per_block, p.rails));
    check.holds(p.cores % p.rails == 0, "cores", fmt::format("{} cores do not divide over {} rails", p.cores, p.rails));
  }
  check.holds(blocks <= 1 || p.cores > 0, "cores", fmt::format("{} blocks of pods have nothing between them", blocks), "set cores, or pods_per_block to 0");
  if (p.switch_ports == 0) return;
  const auto fits = [&](std::string_view field, double ports, std::string_view what) {
    check.holds(ports <= p.switch_ports, field, fmt::format("a {} needs {:.0f} ports and has {}", what, std::ceil(ports), p.switch_ports));
  };
  const int leaf_down = std::min(hosts, p.hosts_per_pod) * divide_up(nics_per_host, p.rails);
  fits("uplinks_per_leaf", double{1} * leaf_down + p.uplinks_per_leaf, "leaf");
  const double spine_down = double{1} * std::min(pods, pods_per_block) * p.rails * p.uplinks_per_leaf / p.spines_per_block;
  fits("spines_per_block", spine_down + (p.cores > 0 ? p.uplinks_per_spine : 0), "spine");
  if (p.cores > 0) fits("cores", double{1} * blocks * p.spines_per_block * p.uplinks_per_spine / p.cores, "core");
}

void add_leaf_spine(TopologyBuilder& builder, const LeafSpineParameters& p, std::span<const HostPorts> hosts, std::string_view name) {
  LeafSpineWiring(builder, p, hosts, name).run();
}

}  // namespace rackwright::topologies
