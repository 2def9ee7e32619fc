#include "topologies/builders/scale_out.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "topologies/builders/dragonfly.h"
#include "topologies/builders/dragonfly_plus.h"
#include "topologies/builders/fat_tree.h"
#include "topologies/builders/leaf_spine.h"
#include "topologies/builders/parameter_check.h"

namespace rackwright::topologies {

namespace {

int divide_up(int a, int b) { return a / b + (a % b != 0 ? 1 : 0); }

LeafSpineParameters leaf_spine(const ScaleOutParameters& p, int hosts, int nics_per_host) {
  LeafSpineParameters result;
  result.rails = p.rails > 0 ? p.rails : std::max(nics_per_host, 1);
  const int nics_per_rail = divide_up(std::max(nics_per_host, 1), result.rails);
  const double down_share = p.oversubscription / (1 + p.oversubscription);
  const int by_ports = static_cast<int>(std::floor(p.switch_ports * down_share + 1e-9)) / nics_per_rail;
  result.hosts_per_pod = p.hosts_per_pod > 0 ? p.hosts_per_pod : std::max(by_ports, 1);
  const int downlinks = std::min(std::max(hosts, 1), result.hosts_per_pod) * nics_per_rail;
  result.uplinks_per_leaf = std::max(1, static_cast<int>(std::ceil(downlinks / p.oversubscription - 1e-9)));
  const int pods = divide_up(std::max(hosts, 1), result.hosts_per_pod);
  const int leaves = pods * result.rails;
  if (leaves <= p.switch_ports) {
    // A divisor of the uplinks, so that every leaf has the same number to every spine.
    result.spines_per_block = divide_up(leaves * result.uplinks_per_leaf, p.switch_ports);
    while (result.uplinks_per_leaf % result.spines_per_block != 0) ++result.spines_per_block;
  } else {
    result.sharing = SpineSharing::per_rail;
    result.pods_per_block = std::max(1, p.switch_ports / 2);
    result.spines_per_block = result.uplinks_per_leaf * result.rails;
    result.uplinks_per_spine = result.pods_per_block;
    const int blocks = divide_up(pods, result.pods_per_block);
    const int per_rail = divide_up(blocks * result.uplinks_per_leaf * result.uplinks_per_spine, p.switch_ports);
    result.cores = per_rail * result.rails;
  }
  result.switch_ports = p.switch_ports;
  result.host_bandwidth = result.switch_bandwidth = p.bandwidth;
  result.nic_latency_s = p.nic_latency_s;
  result.switch_latency_s = p.switch_latency_s;
  result.kind = p.link;
  result.reduces = p.reduces;
  return result;
}

FatTreeParameters fat_tree(const ScaleOutParameters& p, int nics) {
  FatTreeParameters result;
  result.oversubscription = p.oversubscription;
  const auto is_whole = [&] { return std::abs(std::remainder(result.k / 2 * p.oversubscription, 1.0)) < 1e-9; };
  result.k = 2;
  while (result.k < 1024 && (!is_whole() || result.capacity() < nics)) result.k += 2;
  result.bandwidth = p.bandwidth;
  result.nic_latency_s = p.nic_latency_s;
  result.switch_latency_s = p.switch_latency_s;
  result.kind = p.link;
  result.reduces = p.reduces;
  return result;
}

DragonflyParameters dragonfly(const ScaleOutParameters& p, int nics) {
  DragonflyParameters result;
  int n = 1;
  while ((2 * n * n + 1) * 2 * n * n < nics) ++n;
  result.nics_per_router = result.global_links_per_router = n;
  result.routers_per_group = 2 * n;
  result.groups = std::max(1, divide_up(nics, 2 * n * n));
  result.bandwidth = p.bandwidth;
  result.nic_latency_s = p.nic_latency_s;
  result.router_latency_s = p.switch_latency_s;
  result.kind = p.link;
  return result;
}

DragonflyPlusParameters dragonfly_plus(const ScaleOutParameters& p, int nics) {
  DragonflyPlusParameters result;
  int n = 1;
  while ((n * n + 1) * n * n < nics) ++n;
  result.leaves_per_group = result.spines_per_group = result.nics_per_leaf = result.global_links_per_spine = n;
  result.groups = std::max(1, divide_up(nics, n * n));
  result.bandwidth = p.bandwidth;
  result.nic_latency_s = p.nic_latency_s;
  result.switch_latency_s = p.switch_latency_s;
  result.kind = p.link;
  return result;
}

int nics_of(std::span<const HostPorts> hosts) {
  std::size_t nics = 0;
  for (const HostPorts& host : hosts) nics += host.nics.size();
  return static_cast<int>(nics);
}

}  // namespace

void check(const ScaleOutParameters& p, int hosts, int nics_per_host, std::string_view path, Diagnostics& diagnostics) {
  ParameterCheck check(path, diagnostics);
  const int errors = diagnostics.error_count();
  check.at_least("rails", p.rails, 0);
  check.at_least("hosts_per_pod", p.hosts_per_pod, 0);
  check.at_least("switch_ports", p.switch_ports, 2);
  check.positive("oversubscription", p.oversubscription);
  check.positive("bandwidth", p.bandwidth);
  check.vertices(double{1} * hosts * nics_per_host);
  if (diagnostics.error_count() > errors) return;
  const int nics = hosts * nics_per_host;
  switch (p.kind) {
    case ScaleOutKind::rail_leaf_spine: return topologies::check(leaf_spine(p, hosts, nics_per_host), hosts, nics_per_host, path, diagnostics);
    case ScaleOutKind::fat_tree: return topologies::check(fat_tree(p, nics), nics, path, diagnostics);
    case ScaleOutKind::dragonfly: return topologies::check(dragonfly(p, nics), nics, path, diagnostics);
    case ScaleOutKind::dragonfly_plus: return topologies::check(dragonfly_plus(p, nics), nics, path, diagnostics);
  }
}

void add_scale_out(TopologyBuilder& builder, const ScaleOutParameters& p, std::span<const HostPorts> hosts, std::string_view name) {
  switch (p.kind) {
    case ScaleOutKind::rail_leaf_spine: {
      std::size_t most = 0;
      for (const HostPorts& host : hosts) most = std::max(most, host.nics.size());
      return add_leaf_spine(builder, leaf_spine(p, static_cast<int>(hosts.size()), static_cast<int>(most)), hosts, name);
    }
    case ScaleOutKind::fat_tree: return add_fat_tree(builder, fat_tree(p, nics_of(hosts)), hosts, name);
    case ScaleOutKind::dragonfly: return add_dragonfly(builder, dragonfly(p, nics_of(hosts)), hosts, name);
    case ScaleOutKind::dragonfly_plus: return add_dragonfly_plus(builder, dragonfly_plus(p, nics_of(hosts)), hosts, name);
  }
}

}  // namespace rackwright::topologies
