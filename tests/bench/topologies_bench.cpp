/// How long a 16,384-accelerator rail fabric takes to build, bundle, route in and analyze, and how much memory it needs.
#include <sys/resource.h>

#include <ctime>

#include <fmt/format.h>

#include "models/base/random.h"
#include "topologies/analysis/topology_report.h"
#include "topologies/builders/presets.h"
#include "topologies/graph/bundle.h"
#include "topologies/routing/router.h"

using namespace rackwright;
using namespace rackwright::topologies;

namespace {

class StaticLoads : public LinkLoads {
 public:
  double load(LinkIndex link) const override { return static_cast<double>(link.value % 5u); }
};

/// Of this process, so that a busy machine does not count.
double cpu_s() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

template <typename Work>
auto timed(std::string_view what, const Work& work) {
  const double start = cpu_s();
  auto result = work();
  fmt::print("{:<44}{:>10.3f} s\n", what, cpu_s() - start);
  return result;
}

}  // namespace

int main() {
  constexpr int hosts_count = 2048;
  constexpr int routes = 20'000;
  std::vector<HostPorts> hosts;
  const Topology topology = timed("build 2,048 HGX hosts and 1,280 switches", [&] {
    TopologyBuilder builder;
    for (int h = 0; h < hosts_count; ++h) hosts.push_back(add_nvlink_island(builder, hgx_h200(), fmt::format("h{}", h))[0]);
    add_leaf_spine(builder, rail_fabric_16k(), hosts, "f");
    return builder.build();
  });
  fmt::print("  {} vertices, {} cables\n", topology.vertex_count(), topology.cable_count());
  timed("bundle rails and planes", [&] {
    const DomainKind across[] = {DomainKind::rail, DomainKind::plane};
    return bundle(topology, across).topology.cable_count();
  });
  const StaticLoads loads;
  const std::pair<std::string_view, RoutingParameters> policies[] = {
      {"deterministic", {.choice = PathChoice::deterministic}},
      {"ecmp, rail-aware", {.nic = NicChoice::destination_rail}},
      {"least loaded, rail-aware", {.choice = PathChoice::least_loaded, .nic = NicChoice::destination_rail}},
      {"ecmp, up/down", {.discipline = Discipline::up_down}}};
  for (const auto& [name, parameters] : policies) {
    Router router(topology, parameters, &loads);
    Route route;
    for (const std::string_view round : {"first", "again"}) {
      RandomStream random(1, "bench", name);
      const double start = cpu_s();
      for (int i = 0; i < routes; ++i)
        router.find({hosts[random() % hosts_count].accelerators[random() % 8], hosts[random() % hosts_count].accelerators[random() % 8], random()}, route);
      fmt::print("{:<44}{:>10.1f} us a route\n", fmt::format("route, {}, {}", name, round), (cpu_s() - start) / routes * 1e6);
    }
  }
  timed("analyze", [&] { return analyze(topology, {}).levels.size(); });
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print("{:<44}{:>10.0f} MB\n", "most memory", static_cast<double>(usage.ru_maxrss) / 1024);
  return 0;
}
