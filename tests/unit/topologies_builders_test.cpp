#include <algorithm>
#include <map>

#include "tests/support/catch.h"
#include "topologies/builders/chip_mesh.h"
#include "topologies/builders/dragonfly.h"
#include "topologies/builders/dragonfly_plus.h"
#include "topologies/builders/fabric_catalog.h"
#include "topologies/builders/fat_tree.h"
#include "topologies/builders/global_links.h"
#include "topologies/builders/join.h"
#include "topologies/builders/leaf_spine.h"
#include "topologies/builders/presets.h"
#include "topologies/builders/torus.h"
#include "topologies/builders/wafer_mesh.h"

using namespace rackwright;
using namespace rackwright::topologies;

namespace {

long count(const Topology& topology, VertexKind kind, int tier = -1) {
  return std::ranges::count_if(topology.vertices(), [&](const Vertex& v) { return v.kind == kind && (tier < 0 || v.tier == tier); });
}

/// Bytes per second out of a vertex over links of one kind.
double out_bandwidth(const Topology& topology, VertexIndex vertex, LinkKind kind) {
  double sum = 0;
  for (const LinkIndex link : topology.out_links(vertex))
    if (topology[link].kind == kind) sum += topology[link].bandwidth;
  return sum;
}

template <typename Parameters>
std::vector<Diagnostic> findings(const Parameters& parameters) {
  Diagnostics diagnostics;
  check(parameters, "fabric", diagnostics);
  return diagnostics.all();
}

}  // namespace

TEST_CASE("An HGX board gives each of 8 GPUs 18 NVLinks over 4 switches, 450 GB/s each way") {
  TopologyBuilder builder;
  const auto hosts = add_nvlink_island(builder, hgx_h200(), "h0");
  const Topology topology = builder.build();
  REQUIRE(hosts.size() == 1);
  CHECK(count(topology, VertexKind::accelerator) == 8);
  CHECK(count(topology, VertexKind::scale_up_switch) == 4);
  CHECK(count(topology, VertexKind::nic) == 8);
  // 18 · 25 GB/s.
  for (const VertexIndex gpu : hosts[0].accelerators) CHECK(out_bandwidth(topology, gpu, LinkKind::nvlink) == 450e9);
  int lanes = 0;
  for (const Link& link : topology.links())
    if (link.kind == LinkKind::nvlink) lanes += link.lanes;
  CHECK(lanes == 2 * 8 * 18);
}

TEST_CASE("An NVL72 rack has 72 GPUs, 36 Grace, 18 switch chips, 1,296 NVLinks and 130 TB/s both ways") {
  TopologyBuilder builder;
  const auto hosts = add_nvlink_island(builder, gb200_nvl72(), "r0");
  const Topology topology = builder.build();
  CHECK(hosts.size() == 18);
  CHECK(count(topology, VertexKind::accelerator) == 72);
  CHECK(count(topology, VertexKind::processor) == 36);
  CHECK(count(topology, VertexKind::scale_up_switch) == 18);
  CHECK(count(topology, VertexKind::nic) == 72);
  double total = 0;
  long cables = 0;
  for (const Link& link : topology.links())
    if (link.kind == LinkKind::nvlink) {
      total += link.bandwidth;
      ++cables;
    }
  // 72 GPUs · 18 links; 72 · 900 GB/s · 2 directions = 129.6 TB/s.
  CHECK(cables / 2 == 72 * 18);
  CHECK(total == 129.6e12);
}

TEST_CASE("A domain of 576 has a second NVLink level as wide as the first") {
  TopologyBuilder builder;
  add_nvlink_island(builder, nvl576(), "d");
  const Topology topology = builder.build();
  CHECK(count(topology, VertexKind::accelerator) == 576);
  CHECK(count(topology, VertexKind::scale_up_switch, 1) == 8 * 18);
  CHECK(count(topology, VertexKind::scale_up_switch, 2) == 8 * 18);
  for (std::uint32_t i = 0; i < topology.vertex_count(); ++i) {
    const Vertex& vertex = topology.vertices()[i];
    if (vertex.kind != VertexKind::scale_up_switch) continue;
    // First level: 72 · 50 GB/s down and as much up. Second level: 8 chips of its plane, 72/8 links each.
    CHECK(out_bandwidth(topology, {i}, LinkKind::nvlink) == (vertex.tier == 1 ? 2 * 72 * 50e9 : 8 * 9 * 50e9));
  }
}

TEST_CASE("A board without switches joins every two of its GPUs directly") {
  TopologyBuilder builder;
  const auto hosts = add_nvlink_island(builder, mi300x_oam(), "h0");
  const Topology topology = builder.build();
  CHECK(count(topology, VertexKind::scale_up_switch) == 0);
  CHECK(std::ranges::count(topology.links(), LinkKind::xgmi, &Link::kind) == 8 * 7);
  CHECK(out_bandwidth(topology, hosts[0].accelerators[3], LinkKind::xgmi) == 7 * 64e9);
}

TEST_CASE("A k-ary fat-tree has k³/4 NICs, 5k²/4 switches and 3k³/4 cables") {
  for (const int k : {2, 4, 8, 16}) {
    FatTreeParameters parameters;
    parameters.k = k;
    CHECK(parameters.capacity() == k * k * k / 4);
    TopologyBuilder builder;
    const auto hosts = add_bare_hosts(builder, "h", parameters.capacity(), 1);
    add_fat_tree(builder, parameters, hosts, "ft");
    const Topology topology = builder.build();
    CHECK(count(topology, VertexKind::network_switch) == 5 * k * k / 4);
    CHECK(topology.cable_count() == static_cast<std::size_t>(3 * k * k * k / 4));
    // Every switch uses all of its k ports.
    for (std::uint32_t i = 0; i < topology.vertex_count(); ++i)
      if (topology.vertices()[i].kind == VertexKind::network_switch) CHECK(topology.out_links({i}).size() == static_cast<std::size_t>(k));
  }
}

TEST_CASE("A fat-tree oversubscribed 3:1 takes three times the NICs on the same core") {
  FatTreeParameters parameters;
  parameters.k = 8;
  parameters.oversubscription = 3;
  CHECK(parameters.capacity() == 3 * 8 * 8 * 8 / 4);
  TopologyBuilder builder;
  add_fat_tree(builder, parameters, add_bare_hosts(builder, "h", parameters.capacity(), 1), "ft");
  const Topology topology = builder.build();
  CHECK(count(topology, VertexKind::network_switch) == 5 * 8 * 8 / 4);
  const VertexIndex edge = *topology.find("ft/edge0");
  CHECK(topology.out_links(edge).size() == 3 * 4 + 4);
}

TEST_CASE("The SuperPOD of 1,024 GPUs has 32 leaves, 16 spines and every port in use") {
  TopologyBuilder builder;
  std::vector<HostPorts> hosts;
  for (int h = 0; h < 128; ++h) {
    const auto island = add_nvlink_island(builder, hgx_h200(), "h" + std::to_string(h));
    hosts.insert(hosts.end(), island.begin(), island.end());
  }
  Diagnostics diagnostics;
  check(LeafSpineParameters{}, 128, 8, "fabric", diagnostics);
  CHECK(diagnostics.all().empty());
  add_leaf_spine(builder, {}, hosts, "f");
  const Topology topology = builder.build();
  CHECK(count(topology, VertexKind::accelerator) == 1024);
  CHECK(count(topology, VertexKind::network_switch, 1) == 32);
  CHECK(count(topology, VertexKind::network_switch, 2) == 16);
  for (std::uint32_t i = 0; i < topology.vertex_count(); ++i)
    if (topology.vertices()[i].kind == VertexKind::network_switch) CHECK(topology.out_links({i}).size() == 64);
  // NIC n of every host of a pod hangs on the same leaf.
  const LinkIndex a = topology.out_links(*topology.find("h0/nic3")).back();
  const LinkIndex b = topology.out_links(*topology.find("h31/nic3")).back();
  CHECK(topology[a].to == topology[b].to);
  CHECK(topology[topology[a].to].name == "f/leaf3");
}

TEST_CASE("The 16k-accelerator rail fabric fits its 64-port switches exactly") {
  Diagnostics diagnostics;
  check(rail_fabric_16k(), 2048, 8, "fabric", diagnostics);
  CHECK(diagnostics.all().empty());
  TopologyBuilder builder;
  add_leaf_spine(builder, rail_fabric_16k(), add_bare_hosts(builder, "h", 2048, 8), "f");
  const Topology topology = builder.build();
  CHECK(count(topology, VertexKind::network_switch, 1) == 512);
  CHECK(count(topology, VertexKind::network_switch, 2) == 512);
  CHECK(count(topology, VertexKind::network_switch, 3) == 256);
  // NIC-leaf, leaf-spine and spine-core cables are 16,384 each.
  CHECK(topology.cable_count() == 3 * 16384);
  for (std::uint32_t i = 0; i < topology.vertex_count(); ++i)
    if (topology.vertices()[i].kind == VertexKind::network_switch) REQUIRE(topology.out_links({i}).size() == 64);
}

TEST_CASE("A leaf-spine that does not fit its switches says which one and by how much") {
  LeafSpineParameters parameters;
  parameters.switch_ports = 48;
  Diagnostics diagnostics;
  check(parameters, 128, 8, "fabric", diagnostics);
  REQUIRE(diagnostics.all().size() == 2);
  CHECK(diagnostics.all()[0].path == "fabric.uplinks_per_leaf");
  CHECK(diagnostics.all()[0].message == "a leaf needs 64 ports and has 48");
  CHECK(diagnostics.all()[1].message == "a spine needs 64 ports and has 48");
}

TEST_CASE("Global links join every two groups, and the largest dragonfly by exactly one cable") {
  for (const auto& [groups, ports] : std::vector<std::pair<int, int>>{{9, 8}, {5, 8}, {4, 8}, {3, 5}, {2, 3}}) {
    std::map<std::pair<int, int>, int> between;
    std::map<std::pair<int, int>, int> used;
    for (const GlobalLink& link : global_links(groups, ports)) {
      ++between[{link.group_a, link.group_b}];
      CHECK(++used[{link.group_a, link.port_a}] == 1);
      CHECK(++used[{link.group_b, link.port_b}] == 1);
      CHECK(std::max(link.port_a, link.port_b) < ports);
    }
    CHECK(between.size() == static_cast<std::size_t>(groups * (groups - 1) / 2));
    // Complete rounds give floor(ports / (groups - 1)) to each pair; the incomplete one at most one more.
    for (const auto& [pair, cables] : between) {
      CHECK(cables >= ports / (groups - 1));
      CHECK(cables <= ports / (groups - 1) + 1);
    }
  }
}

TEST_CASE("A dragonfly with a = 4, p = h = 2 has g = 9 groups, 36 routers, 72 NICs, 54 local and 36 global cables") {
  const DragonflyParameters parameters;
  TopologyBuilder builder;
  add_dragonfly(builder, parameters, add_bare_hosts(builder, "h", 72, 1), "df");
  const Topology topology = builder.build();
  CHECK(count(topology, VertexKind::network_switch) == 36);
  // g · a(a-1)/2 local, g(g-1)/2 global.
  CHECK(std::ranges::count(topology.links(), Cable::single_mode, &Link::cable) / 2 == 36);
  CHECK(topology.cable_count() == 72 + 54 + 36);
  for (std::uint32_t i = 0; i < topology.vertex_count(); ++i)
    if (topology.vertices()[i].kind == VertexKind::network_switch) CHECK(topology.out_links({i}).size() == 2 + 3 + 2);
  DragonflyParameters too_many;
  too_many.groups = 10;
  Diagnostics diagnostics;
  check(too_many, 72, "fabric", diagnostics);
  REQUIRE(diagnostics.all().size() == 1);
  CHECK(diagnostics.all()[0].message == "10 groups cannot all be joined by 8 global ports each");
}

TEST_CASE("A dragonfly+ group is a complete bipartite leaf-spine, and only spines leave it") {
  const DragonflyPlusParameters parameters;
  TopologyBuilder builder;
  add_dragonfly_plus(builder, parameters, add_bare_hosts(builder, "h", 9 * 16, 1), "df");
  const Topology topology = builder.build();
  CHECK(count(topology, VertexKind::network_switch, 1) == 36);
  CHECK(count(topology, VertexKind::network_switch, 2) == 36);
  CHECK(topology.cable_count() == 9 * 16 + 9 * 4 * 4 + 36);
  for (const Link& link : topology.links())
    if (link.cable == Cable::single_mode) CHECK(topology[link.from].tier == 2);
}

TEST_CASE("A 3-D torus of size k > 2 has 3 cables a chip, a mesh k²(k-1) for each dimension") {
  TorusParameters parameters;
  parameters.size = {4, 4, 4};
  parameters.nics_per_host = 0;
  TopologyBuilder builder;
  const auto hosts = add_torus(builder, parameters, "t");
  const Topology torus = builder.build();
  CHECK(torus.vertex_count() == 64);
  CHECK(torus.cable_count() == 3 * 64);
  CHECK(hosts.size() == 16);
  parameters.wraps = {false, false, false};
  add_torus(builder, parameters, "m");
  CHECK(builder.build().cable_count() == 3 * 4 * 4 * 3);
  // A dimension of 2 has one cable, wrapped or not; one of 1 has none.
  TorusParameters plane;
  plane.size = {2, 4, 1};
  plane.host_shape = {1, 1, 1};
  plane.nics_per_host = 0;
  add_torus(builder, plane, "p");
  CHECK(builder.build().cable_count() == 4 + 2 * 4);
}

TEST_CASE("Distances on a grid are the closed form") {
  const Grid torus{{10}, {6, 5, 4}, {true, true, true}};
  CHECK(torus.position({10 + 6 * 5 * 3 + 6 * 2 + 1}) == std::array<int, 3>{1, 2, 3});
  CHECK(torus.hops(torus.at({0, 0, 0}), torus.at({3, 2, 2})) == 3 + 2 + 2);
  CHECK(torus.hops(torus.at({0, 0, 0}), torus.at({5, 4, 3})) == 1 + 1 + 1);
  const Grid mesh{{0}, {6, 5, 4}, {}};
  CHECK(mesh.hops(mesh.at({0, 0, 0}), mesh.at({5, 4, 3})) == 5 + 4 + 3);
}

TEST_CASE("A TPU v7 pod has 9,216 chips in 144 racks of 64") {
  TopologyBuilder builder;
  const auto hosts = add_torus(builder, tpu_v7_pod(), "pod");
  const Topology topology = builder.build();
  CHECK(count(topology, VertexKind::accelerator) == 9216);
  CHECK(hosts.size() == 2304);
  CHECK(std::ranges::count(topology.domains(), DomainKind::rack, &FailureDomain::kind) == 144);
  // Copper: 3 · 4·4·3 cables inside each cube. Optical: the other 3 · 9216 - 144 · 144.
  long copper = 0;
  long optical = 0;
  for (const Link& link : topology.links()) {
    if (link.kind != LinkKind::ici) continue;
    copper += link.cable == Cable::copper;
    optical += link.cable == Cable::single_mode;
  }
  CHECK(copper / 2 == 144 * 144);
  CHECK(optical / 2 == 3 * 9216 - 144 * 144);
}

TEST_CASE("A GroqRack of 9 nodes of 8 chips joins every two chips of a node and every two nodes") {
  TopologyBuilder builder;
  const auto nodes = add_chip_mesh(builder, {}, "g");
  const Topology topology = builder.build();
  CHECK(nodes.size() == 9);
  CHECK(count(topology, VertexKind::accelerator) == 72);
  const auto chip_links = std::ranges::count(topology.links(), LinkKind::chip_to_chip, &Link::kind) / 2;
  // 9 · 8·7/2 in the nodes and, with 8 node ports on 8 peers, 9·8/2 between them.
  CHECK(chip_links == 9 * 28 + 36);
}

TEST_CASE("A wafer of 12 x 7 regions has 12·6 + 11·7 borders, each as wide as the cores along it") {
  const WaferMeshParameters parameters;
  TopologyBuilder builder;
  const HostPorts wafer = add_wafer_mesh(builder, parameters, "w");
  const Topology topology = builder.build();
  CHECK(wafer.accelerators.size() == 84);
  CHECK(std::ranges::count(topology.links(), LinkKind::wafer, &Link::kind) / 2 == 12 * 6 + 11 * 7);
  // sqrt(900,000 / 84) = 103.5 cores a side; 26.75 PB/s / 3.6 M links = 7.43 GB/s a link.
  CHECK(region_bandwidth(parameters) == Approx(103.51 * 7.4306e9).epsilon(1e-4));
  double out = 0;
  for (const VertexIndex nic : wafer.nics) out += topology[topology.out_links(nic)[0]].bandwidth;
  CHECK(out == 150e9);
}

TEST_CASE("A GPU rack, an SRAM rack and a CPU rack are joined by their own leaves or NICs") {
  TopologyBuilder builder;
  const auto gpus = add_nvlink_island(builder, gb200_nvl72(), "gpu");
  LeafSpineParameters leaf;
  leaf.rails = 4;
  leaf.hosts_per_pod = 18;
  leaf.spines_per_block = 4;
  leaf.uplinks_per_leaf = 16;
  add_leaf_spine(builder, leaf, gpus, "gpu/net");
  const auto lpus = add_chip_mesh(builder, {}, "sram");
  PcieHostParameters cpu;
  cpu.accelerators = 0;
  cpu.pcie_switches = 0;
  cpu.nics = 1;
  std::vector<JoinMember> members{{"gpu", {}, 4, 50e9}, {"sram", {}, 1, 12.5e9}, {"cpu", {}, 1, 25e9}};
  for (int s = 0; s < 4; ++s) members[0].ports.push_back(*builder.find("gpu/net/spine" + std::to_string(s)));
  for (const HostPorts& node : lpus) members[1].ports.insert(members[1].ports.end(), node.nics.begin(), node.nics.end());
  for (int h = 0; h < 6; ++h) members[2].ports.push_back(add_pcie_host(builder, cpu, "cpu" + std::to_string(h), no_domain).nics[0]);

  Diagnostics diagnostics;
  check(JoinParameters{}, members, "join", diagnostics);
  CHECK(diagnostics.all().empty());
  const auto switches = add_join(builder, {}, members, "join");
  const Topology topology = builder.build();
  REQUIRE(switches.size() == 2);
  // 4 spines · 4 + 18 LPU NICs + 6 CPU NICs = 40 cables over two switches, a tier above the spines.
  CHECK(topology.out_links(switches[0]).size() == 20);
  CHECK(topology.out_links(switches[1]).size() == 20);
  CHECK(topology[switches[0]].tier == 3);
}

TEST_CASE("Parameters out of range are all reported, by path") {
  TorusParameters torus;
  torus.size = {0, 4, 4};
  torus.link_bandwidth = 0;
  const auto found = findings(torus);
  REQUIRE(found.size() == 2);
  CHECK(found[0].path == "fabric.size[0]");
  CHECK(found[1].path == "fabric.link_bandwidth");
  TorusParameters huge;
  huge.size = {1000, 1000, 1000};
  REQUIRE(findings(huge).size() == 1);
  CHECK(findings(huge)[0].hint == "at most 4000000");
  NvlinkIslandParameters groups = nvl576();
  groups.second_level_switches = 100;
  REQUIRE(findings(groups).size() == 1);
  CHECK(findings(groups)[0].message == "100 is not a multiple of 18 planes");
}

TEST_CASE("Every topology of the catalog is built from its defaults, and refuses what makes no sense") {
  for (const FabricEntry& entry : fabric_catalog()) {
    CAPTURE(entry.name);
    Diagnostics diagnostics;
    const auto topology = build_fabric(entry, {}, diagnostics);
    CHECK(diagnostics.all().empty());
    REQUIRE(topology);
    CHECK(topology->vertex_count() > 1);
    CHECK(find_fabric(entry.name) == &entry);

    Diagnostics unknown;
    CHECK_FALSE(build_fabric(entry, {{"size", 3}}, unknown));
    CHECK(unknown.error_count() == 1);
    for (const FabricParameter& parameter : entry.parameters) {
      Diagnostics nonsense;
      CHECK_FALSE(build_fabric(entry, {{parameter.name, -1}}, nonsense));
      CHECK(nonsense.has_errors());
    }
  }
}

TEST_CASE("A leaf-spine that is asked for by its hosts is wired like the SuperPOD, and grows a third tier past its ports") {
  // 128 hosts of 8 cards, 64 ports: 4 pods of 8 leaves, 16 spines (NVIDIA's reference for 1,024 GPUs).
  const auto count = [](double hosts, int tier) {
    Diagnostics diagnostics;
    const auto topology = build_fabric(*find_fabric("rail-leaf-spine"), {{"hosts", hosts}}, diagnostics);
    return std::ranges::count_if(topology->vertices(), [&](const Vertex& vertex) { return vertex.kind == VertexKind::network_switch && vertex.tier == tier; });
  };
  CHECK(count(128, 1) == 32);
  CHECK(count(128, 2) == 16);
  CHECK(count(128, 3) == 0);
  CHECK(count(512, 1) == 128);
  CHECK(count(512, 3) > 0);
}
