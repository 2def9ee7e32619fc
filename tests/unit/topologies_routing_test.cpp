#include <algorithm>
#include <map>
#include <set>

#include "tests/support/catch.h"
#include "topologies/builders/dragonfly.h"
#include "topologies/builders/fat_tree.h"
#include "topologies/builders/presets.h"
#include "topologies/builders/torus.h"
#include "topologies/builders/wafer_mesh.h"
#include "topologies/graph/bundle.h"
#include "topologies/routing/router.h"

using namespace rackwright;
using namespace rackwright::topologies;

namespace {

/// Loads by link, 0 where not set.
class SetLoads : public LinkLoads {
 public:
  double load(LinkIndex link) const override {
    const auto place = loads.find(link.value);
    return place == loads.end() ? 0 : place->second;
  }
  std::map<std::uint32_t, double> loads;
};

std::vector<std::string> names(const Topology& topology, VertexIndex from, const Route& route) {
  std::vector<std::string> found{topology[from].name};
  for (const LinkIndex link : route.links) found.push_back(topology[topology[link].to].name);
  return found;
}

struct FatTree {
  explicit FatTree(int k) {
    FatTreeParameters parameters;
    parameters.k = k;
    TopologyBuilder builder;
    hosts = add_bare_hosts(builder, "h", parameters.capacity(), 1);
    add_fat_tree(builder, parameters, hosts, "ft");
    topology = builder.build();
  }
  VertexIndex nic(int host) const { return hosts[static_cast<std::size_t>(host)].nics[0]; }
  std::vector<HostPorts> hosts;
  Topology topology;
};

/// `hosts` H200 boxes under one pod of 8 leaves and 4 spines.
struct RailPod {
  explicit RailPod(int count, SpineSharing sharing = SpineSharing::all_rails, int hosts_per_pod = 4) {
    TopologyBuilder builder;
    for (int h = 0; h < count; ++h) hosts.push_back(add_nvlink_island(builder, hgx_h200(), "h" + std::to_string(h))[0]);
    LeafSpineParameters parameters;
    parameters.hosts_per_pod = hosts_per_pod;
    parameters.uplinks_per_leaf = 4;
    parameters.spines_per_block = sharing == SpineSharing::per_rail ? 8 : 4;
    parameters.sharing = sharing;
    add_leaf_spine(builder, parameters, hosts, "f");
    topology = builder.build();
  }
  VertexIndex gpu(int host, int n) const { return hosts[static_cast<std::size_t>(host)].accelerators[static_cast<std::size_t>(n)]; }
  std::vector<HostPorts> hosts;
  Topology topology;
};

}  // namespace

TEST_CASE("In a 4-ary fat-tree, a path has 2 links below an edge switch, 4 in a pod and 6 between pods") {
  const FatTree tree(4);
  Router router(tree.topology, {});
  Route route;
  REQUIRE(router.find({tree.nic(0), tree.nic(1)}, route));
  CHECK(route.links.size() == 2);
  REQUIRE(router.find({tree.nic(0), tree.nic(2)}, route));
  CHECK(route.links.size() == 4);
  REQUIRE(router.find({tree.nic(0), tree.nic(15)}, route));
  CHECK(route.links.size() == 6);
  CHECK(route.bandwidth == 50e9);
  REQUIRE(router.find({tree.nic(3), tree.nic(3)}, route));
  CHECK(route.links.empty());
}

TEST_CASE("Destination-mod-k paths carry every shift permutation of a full fat-tree without sharing a link") {
  const FatTree tree(8);
  Router router(tree.topology, {.choice = PathChoice::deterministic});
  Route route;
  const int hosts = static_cast<int>(tree.hosts.size());
  for (const int shift : {1, 3, 4, 16, 17, 64}) {
    std::map<LinkIndex, int> used;
    for (int h = 0; h < hosts; ++h) {
      REQUIRE(router.find({tree.nic(h), tree.nic((h + shift) % hosts)}, route));
      for (const LinkIndex link : route.links) ++used[link];
    }
    CHECK(std::ranges::max_element(used, {}, [](const auto& u) { return u.second; })->second == 1);
  }
}

TEST_CASE("ECMP keeps a flow on one path and spreads flows over all of them") {
  const FatTree tree(4);
  Router router(tree.topology, {});
  std::map<std::vector<std::string>, int> paths;
  Route route;
  for (std::uint64_t flow = 0; flow < 400; ++flow) {
    REQUIRE(router.find({tree.nic(0), tree.nic(15), flow}, route));
    const auto first = names(tree.topology, tree.nic(0), route);
    REQUIRE(router.find({tree.nic(0), tree.nic(15), flow}, route));
    CHECK(first == names(tree.topology, tree.nic(0), route));
    ++paths[first];
  }
  // (k/2)² = 4 cores; 100 ± 5 standard deviations of sqrt(400 · 1/4 · 3/4) = 8.7.
  CHECK(paths.size() == 4);
  for (const auto& [path, flows] : paths) CHECK(std::abs(flows - 100) < 44);
}

TEST_CASE("The least loaded path avoids a busy uplink and the busy half behind an idle one") {
  const FatTree tree(4);
  SetLoads loads;
  Router router(tree.topology, {.choice = PathChoice::least_loaded}, &loads);
  const auto load = [&](std::string_view from, std::string_view to, double value) {
    for (const LinkIndex link : tree.topology.out_links(*tree.topology.find(from)))
      if (tree.topology[tree.topology[link].to].name == to) loads.loads[link.value] = value;
  };
  // Up to agg0 is free, but core0 and core1 behind it are busier than agg1.
  load("ft/agg0", "ft/core0", 3);
  load("ft/agg0", "ft/core1", 2);
  load("ft/edge0", "ft/agg1", 1);
  load("ft/agg1", "ft/core3", 1.5);
  Route route;
  for (std::uint64_t flow = 0; flow < 20; ++flow) {
    REQUIRE(router.find({tree.nic(0), tree.nic(15), flow}, route));
    CHECK(names(tree.topology, tree.nic(0), route)[3] == "ft/core2");
  }
}

TEST_CASE("Without loads, the least loaded paths of many flows still spread") {
  const FatTree tree(4);
  const SetLoads loads;
  Router router(tree.topology, {.choice = PathChoice::least_loaded}, &loads);
  std::set<std::string> cores;
  Route route;
  for (std::uint64_t flow = 0; flow < 60; ++flow) {
    REQUIRE(router.find({tree.nic(0), tree.nic(15), flow}, route));
    cores.insert(names(tree.topology, tree.nic(0), route)[3]);
  }
  CHECK(cores.size() == 4);
}

TEST_CASE("GPUs of one box meet over an NVSwitch and never over PCIe") {
  const RailPod pod(1);
  Router router(pod.topology, {});
  Route route;
  REQUIRE(router.find({pod.gpu(0, 0), pod.gpu(0, 7)}, route));
  REQUIRE(route.links.size() == 2);
  CHECK(pod.topology[route.links[0]].kind == LinkKind::nvlink);
}

TEST_CASE("Every GPU sends through its own NIC; same rails meet at the leaf, others at a spine") {
  const RailPod pod(2);
  Router router(pod.topology, {});
  Route route;
  // GPUs 2n and 2n+1 share a PCIe switch with NICs 2n and 2n+1.
  REQUIRE(router.find({pod.gpu(0, 3), pod.gpu(1, 3)}, route));
  CHECK(names(pod.topology, pod.gpu(0, 3), route) ==
        std::vector<std::string>{"h0/acc3", "h0/pcisw1", "h0/nic3", "f/leaf3", "h1/nic3", "h1/pcisw1", "h1/acc3"});
  REQUIRE(router.find({pod.gpu(0, 3), pod.gpu(1, 6)}, route));
  const auto path = names(pod.topology, pod.gpu(0, 3), route);
  REQUIRE(path.size() == 9);
  CHECK(path[3] == "f/leaf3");
  CHECK(path[4].starts_with("f/spine"));
  CHECK(path[5] == "f/leaf6");
}

TEST_CASE("A rail-aware route changes rails over NVLink and stays below the leaf") {
  const RailPod pod(2);
  Router router(pod.topology, {.nic = NicChoice::destination_rail});
  Route route;
  REQUIRE(router.find({pod.gpu(0, 3), pod.gpu(1, 6)}, route));
  const auto path = names(pod.topology, pod.gpu(0, 3), route);
  REQUIRE(path.size() == 9);
  CHECK(path[1].starts_with("h0/nvsw"));
  CHECK(path[2] == "h0/acc6");
  CHECK(path[4] == "h0/nic6");
  CHECK(path[5] == "f/leaf6");
  CHECK(path[6] == "h1/nic6");
}

TEST_CASE("Where every rail has spines of its own, another rail is reached through the host") {
  const RailPod pod(2, SpineSharing::per_rail, 1);
  Router router(pod.topology, {});
  Route route;
  REQUIRE(router.find({pod.gpu(0, 0), pod.gpu(1, 5)}, route));
  const auto path = names(pod.topology, pod.gpu(0, 0), route);
  CHECK(std::ranges::find(path, "h0/nic5") != path.end());
  CHECK(std::ranges::find(path, "h0/cpu1") != path.end());
}

TEST_CASE("A failed NIC sends its GPU to the neighbour's, a failed rail everyone, and repair brings them back") {
  const RailPod pod(2);
  Router router(pod.topology, {});
  Route route;
  const VertexIndex nic3 = *pod.topology.find("h0/nic3");
  router.fail(nic3);
  REQUIRE(router.find({pod.gpu(0, 3), pod.gpu(1, 3)}, route));
  CHECK(names(pod.topology, pod.gpu(0, 3), route)[2] == "h0/nic2");
  router.restore(nic3);
  const DomainIndex rail3 = pod.topology[nic3].in(DomainKind::rail);
  router.fail(rail3);
  REQUIRE(router.find({pod.gpu(0, 3), pod.gpu(1, 3)}, route));
  const auto path = names(pod.topology, pod.gpu(0, 3), route);
  CHECK(std::ranges::find(path, "f/leaf3") == path.end());
  router.restore(rail3);
  REQUIRE(router.find({pod.gpu(0, 3), pod.gpu(1, 3)}, route));
  CHECK(names(pod.topology, pod.gpu(0, 3), route)[3] == "f/leaf3");
}

TEST_CASE("Up/down routing does not go through a third leaf when two spines fail crosswise") {
  // Leaves 0..2, spines 0 and 1. Leaf 0 loses spine 0, leaf 1 loses spine 1: the only way left is leaf 0 - spine 1 -
  // leaf 2 - spine 0 - leaf 1, which goes up twice.
  TopologyBuilder builder;
  LeafSpineParameters parameters;
  parameters.rails = 1;
  parameters.hosts_per_pod = 1;
  parameters.spines_per_block = 2;
  parameters.uplinks_per_leaf = 2;
  const auto hosts = add_bare_hosts(builder, "h", 3, 1);
  add_leaf_spine(builder, parameters, hosts, "f");
  const Topology topology = builder.build();
  const auto cable = [&](std::string_view from, std::string_view to) {
    for (const LinkIndex link : topology.out_links(*topology.find(from)))
      if (topology[topology[link].to].name == to) return link;
    throw std::logic_error("no such cable");
  };
  Router minimal(topology, {});
  Router up_down(topology, {.discipline = Discipline::up_down});
  Route route;
  for (Router* router : {&minimal, &up_down}) {
    REQUIRE(router->find({hosts[0].nics[0], hosts[1].nics[0]}, route));
    CHECK(route.links.size() == 4);
    router->fail(cable("f/leaf0", "f/spine0"));
    REQUIRE(router->find({hosts[0].nics[0], hosts[1].nics[0]}, route));
    CHECK(names(topology, hosts[0].nics[0], route)[2] == "f/spine1");
    router->fail(cable("f/leaf1", "f/spine1"));
  }
  REQUIRE(minimal.find({hosts[0].nics[0], hosts[1].nics[0]}, route));
  CHECK(route.links.size() == 6);
  CHECK_FALSE(up_down.find({hosts[0].nics[0], hosts[1].nics[0]}, route));
  CHECK(route.links.empty());
  REQUIRE(up_down.find({hosts[0].nics[0], hosts[2].nics[0]}, route));
}

TEST_CASE("On a torus, dimension order finishes x before y before z and takes the short way round") {
  TorusParameters parameters;
  parameters.size = {6, 6, 4};
  TopologyBuilder builder;
  add_torus(builder, parameters, "t");
  const Topology topology = builder.build();
  const Grid& grid = topology.grids()[0];
  Router router(topology, {.choice = PathChoice::deterministic});
  Route route;
  REQUIRE(router.find({grid.at({1, 1, 0}), grid.at({5, 3, 3})}, route));
  std::vector<std::array<int, 3>> places;
  for (const LinkIndex link : route.links) places.push_back(grid.position(topology[link].to));
  CHECK(places == std::vector<std::array<int, 3>>{{0, 1, 0}, {5, 1, 0}, {5, 2, 0}, {5, 3, 0}, {5, 3, 3}});
}

TEST_CASE("A chip that fails is passed round, and the rest of the torus keeps its distances") {
  TorusParameters parameters;
  parameters.size = {5, 5, 1};
  parameters.host_shape = {1, 1, 1};
  TopologyBuilder builder;
  add_torus(builder, parameters, "t");
  const Topology topology = builder.build();
  const Grid& grid = topology.grids()[0];
  Router router(topology, {});
  router.fail(grid.at({1, 0, 0}));
  Route route;
  REQUIRE(router.find({grid.at({0, 0, 0}), grid.at({2, 0, 0})}, route));
  CHECK(route.links.size() == 3);  // Around the other way: 0 -> 4 -> 3 -> 2.
  REQUIRE(router.find({grid.at({0, 1, 0}), grid.at({2, 1, 0})}, route));
  CHECK(route.links.size() == 2);
  CHECK_FALSE(router.find({grid.at({0, 0, 0}), grid.at({1, 0, 0})}, route));
}

TEST_CASE("A region in the middle of a wafer leaves through the nearest edge NIC") {
  TopologyBuilder builder;
  const HostPorts a = add_wafer_mesh(builder, {}, "a");
  const HostPorts b = add_wafer_mesh(builder, {}, "b");
  LeafSpineParameters parameters;
  parameters.rails = 1;
  parameters.hosts_per_pod = 2;
  parameters.spines_per_block = 1;
  parameters.uplinks_per_leaf = 1;
  const HostPorts both[] = {a, b};
  add_leaf_spine(builder, parameters, both, "f");
  const Topology topology = builder.build();
  Router router(topology, {});
  Route route;
  // Region (3, 0) is 3 hops from the left edge; NIC 0 hangs at (0, 0).
  REQUIRE(router.find({a.accelerators[3], b.accelerators[3]}, route));
  CHECK(route.links.size() == 3 + 1 + 2 + 1 + 3);
  CHECK(names(topology, a.accelerators[3], route)[4] == "a/nic0");
}

TEST_CASE("When the one cable between two dragonfly groups is busy, a detour over a third group is taken") {
  const DragonflyParameters parameters;
  TopologyBuilder builder;
  const auto hosts = add_bare_hosts(builder, "h", 72, 1);
  add_dragonfly(builder, parameters, hosts, "df");
  const Topology topology = builder.build();
  SetLoads loads;
  const auto pod = [&](VertexIndex v) { return topology[v].in(DomainKind::pod); };
  const VertexIndex from = hosts[0].nics[0];
  const VertexIndex to = hosts[71].nics[0];
  for (std::uint32_t i = 0; i < topology.links().size(); ++i)
    if (pod(topology.links()[i].from) == pod(from) && pod(topology.links()[i].to) == pod(to)) loads.loads[i] = 10;
  Router direct(topology, {.choice = PathChoice::least_loaded}, &loads);
  Router around(topology, {.choice = PathChoice::least_loaded, .detours = 4}, &loads);
  Route route;
  const auto is_busy = [&](LinkIndex link) { return loads.loads.contains(link.value); };
  REQUIRE(direct.find({from, to}, route));
  CHECK(route.links.size() == 5);
  CHECK(std::ranges::any_of(route.links, is_busy));
  int avoided = 0;
  for (std::uint64_t flow = 0; flow < 20; ++flow) {
    REQUIRE(around.find({from, to, flow}, route));
    avoided += std::ranges::none_of(route.links, is_busy);
  }
  // Each of 4 tries fails if it picks one of the 8 routers (of 36) of the two end groups or crosses itself, say 4 in
  // 10: all four do so for 1 flow in 40.
  CHECK(avoided >= 18);
  // An idle network is never worth a detour.
  loads.loads.clear();
  REQUIRE(around.find({from, to, 1}, route));
  CHECK(route.links.size() <= 5);
}

TEST_CASE("Bundled over rails and planes, a box leaves over one link of eight rails") {
  const RailPod pod(2);
  const DomainKind across[] = {DomainKind::rail, DomainKind::plane};
  const Bundle bundled = bundle(pod.topology, across);
  Router router(bundled.topology, {});
  Route route;
  const VertexIndex from = bundled.vertex_of[pod.hosts[0].nics[0].value];
  const VertexIndex to = bundled.vertex_of[pod.hosts[1].nics[7].value];
  REQUIRE(router.find({from, to}, route));
  CHECK(route.links.size() == 2);
  CHECK(route.bandwidth == 8 * 50e9);
  CHECK(route.rail_bandwidth == 50e9);
  // Between two GPUs of a box all 18 NVLinks are one.
  REQUIRE(router.find({bundled.vertex_of[pod.gpu(0, 0).value], bundled.vertex_of[pod.gpu(0, 5).value]}, route));
  CHECK(route.links.size() == 2);
  CHECK(route.bandwidth == 450e9);
  CHECK(route.rail_bandwidth == 450e9);
}

TEST_CASE("What nothing connects has no route") {
  TopologyBuilder builder;
  const auto hosts = add_bare_hosts(builder, "h", 2, 1);
  const Topology topology = builder.build();
  Router router(topology, {});
  Route route;
  CHECK_FALSE(router.find({hosts[0].nics[0], hosts[1].nics[0]}, route));
}
