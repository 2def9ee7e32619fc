#include "topologies/builders/torus.h"

#include <string>
#include <unordered_map>

#include <fmt/format.h>

#include "topologies/builders/parameter_check.h"

namespace rackwright::topologies {

namespace {

/// Which block of `shape` a place is in, as a number.
int block_of(std::array<int, 3> place, std::array<int, 3> size, std::array<int, 3> shape) {
  int block = 0;
  int stride = 1;
  for (std::size_t d = 0; d < 3; ++d) {
    block += place[d] / shape[d] * stride;
    stride *= (size[d] + shape[d] - 1) / shape[d];
  }
  return block;
}

class TorusWiring {
 public:
  TorusWiring(TopologyBuilder& builder, const TorusParameters& parameters, std::string_view name)
      : builder_(builder), p_(parameters), name_(name), island_(builder.domain(DomainKind::island, name)) {
    grid_ = {{static_cast<std::uint32_t>(builder.vertex_count())}, p_.size, p_.wraps};
  }

  std::vector<HostPorts> run() {
    for (int chip = 0; chip < grid_.count(); ++chip) add_chip(chip);
    builder_.add_grid(grid_);
    for (int chip = 0; chip < grid_.count(); ++chip) connect_upwards({grid_.first.value + static_cast<std::uint32_t>(chip)});
    if (p_.nics_per_host > 0)
      for (HostPorts& host : hosts_) add_processor(host);
    return std::move(hosts_);
  }

 private:
  void add_chip(int chip) {
    const auto place = grid_.position({grid_.first.value + static_cast<std::uint32_t>(chip)});
    const int host_number = block_of(place, p_.size, p_.host_shape);
    const auto [slot, is_new] = host_of_.emplace(host_number, hosts_.size());
    if (is_new) {
      HostPorts host;
      host.name = fmt::format("{}/host{}", name_, host_number);
      host.host = builder_.domain(DomainKind::host, host.name);
      hosts_.push_back(std::move(host));
    }
    HostPorts& host = hosts_[slot->second];
    const DomainIndex rack = builder_.domain(DomainKind::rack, fmt::format("{}/rack{}", name_, block_of(place, p_.size, p_.rack_shape)));
    Vertex vertex = host_vertex(fmt::format("{}/acc{}", name_, chip), VertexKind::accelerator, Forwarding::always, host.host, rack);
    vertex.in(DomainKind::island) = island_;
    vertex.ports = 6;
    host.accelerators.push_back(builder_.add(std::move(vertex)));
  }

  /// The cables from one chip to its next neighbour in each dimension.
  void connect_upwards(VertexIndex chip) {
    const auto place = grid_.position(chip);
    for (std::size_t d = 0; d < 3; ++d) {
      auto next = place;
      next[d] = (place[d] + 1) % p_.size[d];
      const bool goes_around = next[d] <= place[d];
      if (goes_around && (!p_.wraps[d] || p_.size[d] <= 2)) continue;
      const bool leaves_rack = goes_around || block_of(place, p_.size, p_.rack_shape) != block_of(next, p_.size, p_.rack_shape);
      const Cable cable = leaves_rack ? p_.long_cable : p_.rack_cable;
      const auto up_port = static_cast<std::uint16_t>(2 * d + 1);
      builder_.connect(chip, grid_.at(next), {p_.link_bandwidth, link_latency_s(p_.hop_latency_s, p_.hop_latency_s, cable), p_.kind, cable},
                       {up_port, static_cast<std::uint16_t>(up_port + 1)});
    }
  }

  void add_processor(HostPorts& host) {
    const LinkSpec pcie{p_.pcie_bandwidth, link_latency_s(p_.pcie_latency_s, p_.pcie_latency_s, Cable::board), LinkKind::pcie, Cable::board};
    const DomainIndex rack = builder_[host.accelerators.front()].in(DomainKind::rack);
    host.processors.push_back(builder_.add(host_vertex(host.name + "/cpu0", VertexKind::processor, Forwarding::within_host, host.host, rack)));
    for (const VertexIndex chip : host.accelerators) builder_.connect(host.processors.front(), chip, pcie);
    for (int n = 0; n < p_.nics_per_host; ++n) {
      host.nics.push_back(builder_.add(
          host_vertex(fmt::format("{}/nic{}", host.name, n), VertexKind::nic, Forwarding::within_host, host.host, rack)));
      builder_.connect(host.processors.front(), host.nics.back(), pcie);
    }
  }

  TopologyBuilder& builder_;
  const TorusParameters& p_;
  std::string name_;
  DomainIndex island_;
  Grid grid_;
  std::vector<HostPorts> hosts_;
  std::unordered_map<int, std::size_t> host_of_;
};

}  // namespace

void check(const TorusParameters& p, std::string_view path, Diagnostics& diagnostics) {
  ParameterCheck check(path, diagnostics);
  const int errors = diagnostics.error_count();
  for (std::size_t d = 0; d < 3; ++d) {
    check.at_least(fmt::format("size[{}]", d), p.size[d], 1);
    check.at_least(fmt::format("host_shape[{}]", d), p.host_shape[d], 1);
    check.at_least(fmt::format("rack_shape[{}]", d), p.rack_shape[d], 1);
  }
  check.positive("link_bandwidth", p.link_bandwidth);
  check.at_least("hop_latency_s", p.hop_latency_s, 0);
  check.at_least("nics_per_host", p.nics_per_host, 0);
  check.positive("pcie_bandwidth", p.pcie_bandwidth);
  check.at_least("pcie_latency_s", p.pcie_latency_s, 0);
  if (diagnostics.error_count() > errors) return;
  check.vertices(double{1} * p.size[0] * p.size[1] * p.size[2] * (1 + p.nics_per_host));
  for (std::size_t d = 0; d < 3; ++d)
    check.holds(p.size[d] % p.host_shape[d] == 0, fmt::format("host_shape[{}]", d),
                fmt::format("hosts of {} chips do not divide {} chips", p.host_shape[d], p.size[d]));
}

std::vector<HostPorts> add_torus(TopologyBuilder& builder, const TorusParameters& p, std::string_view name) {
  return TorusWiring(builder, p, name).run();
}

}  // namespace rackwright::topologies
