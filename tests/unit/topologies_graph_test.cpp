#include <algorithm>

#include "models/base/invariant.h"
#include "tests/support/catch.h"
#include "topologies/graph/bundle.h"
#include "topologies/graph/components.h"
#include "topologies/graph/max_flow.h"
#include "topologies/graph/topology_builder.h"

using namespace rackwright;
using namespace rackwright::topologies;

namespace {

Vertex named(std::string name, VertexKind kind = VertexKind::node) {
  Vertex vertex;
  vertex.name = std::move(name);
  vertex.kind = kind;
  return vertex;
}

}  // namespace

TEST_CASE("A cable is a pair of links, found from both ends") {
  TopologyBuilder builder;
  const VertexIndex a = builder.add(named("a"));
  const VertexIndex b = builder.add(named("b"));
  const LinkIndex there = builder.connect_asymmetric(a, b, {10e9, 1e-6, LinkKind::ethernet, Cable::copper}, 4e9);
  builder.connect(b, a, {1e9, 2e-6});
  const Topology topology = builder.build();
  CHECK(topology.cable_count() == 2);
  CHECK(topology[there].to == b);
  CHECK(topology[reverse(there)].from == b);
  CHECK(topology[reverse(there)].bandwidth == 4e9);
  REQUIRE(topology.out_links(a).size() == 2);
  CHECK(topology[topology.out_links(a)[1]].bandwidth == 1e9);
  // Ports count up at each vertex.
  CHECK(topology[there].from_port == 1);
  CHECK(topology[LinkIndex{2}].from_port == 2);
  CHECK(topology.find("b") == b);
  CHECK_FALSE(topology.find("c"));
}

TEST_CASE("A cable from a vertex to itself and a name used twice are bugs, not input") {
  TopologyBuilder builder;
  const VertexIndex a = builder.add(named("a"));
  CHECK_THROWS_AS(builder.connect(a, a, {1e9}), InvariantViolation);
  CHECK_THROWS_AS(builder.add(named("a")), InvariantViolation);
  CHECK(builder.unique_name("a") == "a#2");
  CHECK(builder.unique_name("b") == "b");
}

TEST_CASE("An empty topology has nothing in it") {
  const Topology topology = TopologyBuilder().build();
  CHECK(topology.vertex_count() == 0);
  CHECK(endpoints(topology).empty());
  CHECK_FALSE(topology.find(""));
}

TEST_CASE("Appending twice under two prefixes gives two disjoint copies") {
  TopologyBuilder builder;
  Vertex a = named("a");
  a.in(DomainKind::host) = builder.domain(DomainKind::host, "h");
  const VertexIndex first = builder.add(a);
  builder.connect(first, builder.add(named("b")), {1e9});
  builder.add_grid({first, {2, 1, 1}, {}});
  const Topology part = builder.build();

  TopologyBuilder whole;
  whole.append(part, "x/");
  const VertexIndex second = whole.append(part, "y/");
  const Topology both = whole.build();
  CHECK(both.vertex_count() == 4);
  CHECK(both.cable_count() == 2);
  CHECK(both[second].name == "y/a");
  CHECK(both[both[second].in(DomainKind::host)].name == "y/h");
  REQUIRE(both.members(both[second].in(DomainKind::host)).size() == 1);
  CHECK(both.members(both[second].in(DomainKind::host))[0] == second);
  CHECK(both.grids()[1].first == second);
  CHECK(both[both.out_links(second)[0]].to == both.find("y/b"));
}

TEST_CASE("Endpoints are accelerators before hosts, NICs, processors and nodes") {
  TopologyBuilder builder;
  const VertexIndex nic = builder.add(named("nic", VertexKind::nic));
  const VertexIndex leaf = builder.add(named("leaf", VertexKind::network_switch));
  CHECK(endpoints(TopologyBuilder(builder).build()) == std::vector{nic});
  const VertexIndex gpu = builder.add(named("gpu", VertexKind::accelerator));
  CHECK(endpoints(builder.build()) == std::vector{gpu});
  TopologyBuilder switches;
  switches.add(named("s", VertexKind::network_switch));
  CHECK(endpoints(switches.build()) == std::vector{VertexIndex{0}});
  CHECK(leaf.value == 1);
}

TEST_CASE("Two triangles joined by one edge have that bridge and its two ends as cut points") {
  //  0-1-2-0, 3-4-5-3, bridge 2-3 at position 6; vertex 6 stands alone.
  const std::vector<Edge> edges{{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}, {2, 3}};
  const CutPoints cut = cut_points(7, edges);
  CHECK(cut.vertices == std::vector<std::uint32_t>{2, 3});
  CHECK(cut.edges == std::vector<std::uint32_t>{6});
  const Components components = connected_components(7, edges);
  CHECK(components.count == 2);
  CHECK(components.of[0] == components.of[5]);
  CHECK(components.of[0] != components.of[6]);
}

TEST_CASE("A doubled edge is no bridge") {
  const std::vector<Edge> edges{{0, 1}, {0, 1}, {1, 2}};
  CHECK(cut_points(3, edges).edges == std::vector<std::uint32_t>{2});
  CHECK(cut_points(3, {}).edges.empty());
}

TEST_CASE("The smallest cut equals the greatest flow on the textbook network") {
  // Cormen et al., figure 26.1: s=0, v1=1, v2=2, v3=3, v4=4, t=5. The cut is v1-v3 (12), v4-v3 (7), v4-t (4).
  FlowNetwork network(6);
  network.add_edge(0, 1, 16, 0);
  network.add_edge(0, 2, 13, 0);
  network.add_edge(2, 1, 4, 0);
  network.add_edge(1, 3, 12, 0);
  network.add_edge(3, 2, 9, 0);
  network.add_edge(2, 4, 14, 0);
  network.add_edge(4, 3, 7, 0);
  network.add_edge(3, 5, 20, 0);
  network.add_edge(4, 5, 4, 0);
  const std::uint32_t source[] = {0};
  const std::uint32_t sink[] = {5};
  const FlowNetwork::Cut cut = network.min_cut(source, sink);
  CHECK(cut.capacity == 23);
  CHECK(cut.source_side == std::vector<bool>{true, true, true, false, true, false});
}

TEST_CASE("Sources and sinks are taken as wholes, and antiparallel capacity counts once") {
  // Two sources on one line of capacity 5 each way to two sinks: 0,1 - 2 =5= 3 - 4,5.
  FlowNetwork network(6);
  network.add_edge(0, 2, 4, 4);
  network.add_edge(1, 2, 4, 4);
  network.add_edge(2, 3, 5, 5);
  network.add_edge(3, 4, 4, 4);
  network.add_edge(3, 5, 4, 4);
  const std::uint32_t sources[] = {0, 1};
  const std::uint32_t sinks[] = {4, 5};
  CHECK(network.min_cut(sources, sinks).capacity == 5);
}

TEST_CASE("Bundling across rails adds up NICs, leaves and cables, and leaves the rest alone") {
  // Two hosts of one GPU and two NICs; two leaves, one per rail, with two cables each to one spine.
  TopologyBuilder builder;
  const DomainIndex rails[] = {builder.domain(DomainKind::rail, "r0"), builder.domain(DomainKind::rail, "r1")};
  std::vector<VertexIndex> leaves;
  const VertexIndex spine = builder.add(named("spine", VertexKind::network_switch));
  for (int r = 0; r < 2; ++r) {
    Vertex leaf = named("leaf" + std::to_string(r), VertexKind::network_switch);
    leaf.tier = 1;
    leaf.in(DomainKind::rail) = rails[r];
    leaves.push_back(builder.add(leaf));
    for (int cable = 0; cable < 2; ++cable) builder.connect(leaves.back(), spine, {50e9, 1e-6 * (r + 1)});
  }
  std::vector<LinkIndex> up;
  for (int h = 0; h < 2; ++h) {
    const DomainIndex host = builder.domain(DomainKind::host, "h" + std::to_string(h));
    Vertex gpu = named("gpu" + std::to_string(h), VertexKind::accelerator);
    gpu.in(DomainKind::host) = host;
    const VertexIndex accelerator = builder.add(gpu);
    for (int r = 0; r < 2; ++r) {
      Vertex nic = named("nic" + std::to_string(h) + std::to_string(r), VertexKind::nic);
      nic.in(DomainKind::host) = host;
      nic.in(DomainKind::rail) = rails[r];
      const VertexIndex port = builder.add(nic);
      builder.connect(accelerator, port, {63e9});
      up.push_back(builder.connect(port, leaves[static_cast<std::size_t>(r)], {50e9}));
    }
  }
  const Topology topology = builder.build();
  const DomainKind across[] = {DomainKind::rail};
  const Bundle bundled = bundle(topology, across);

  // 2 GPUs, 2 NICs, 1 leaf, 1 spine; GPU-NIC 2, NIC-leaf 2, and leaf-spine still two parallel cables.
  CHECK(bundled.topology.vertex_count() == 6);
  CHECK(bundled.topology.cable_count() == 6);
  CHECK(bundled.vertex_of[leaves[0].value] == bundled.vertex_of[leaves[1].value]);
  REQUIRE(bundled.link_of[up[0].value]);
  CHECK(bundled.link_of[up[0].value] == bundled.link_of[up[1].value]);
  CHECK(bundled.link_of[up[0].value] != bundled.link_of[up[2].value]);
  const Link& nic_leaf = bundled.topology[*bundled.link_of[up[0].value]];
  CHECK(nic_leaf.bandwidth == 100e9);
  CHECK(nic_leaf.lanes == 2);
  const Link& leaf_spine = bundled.topology[*bundled.link_of[0]];
  CHECK(leaf_spine.bandwidth == 100e9);
  CHECK(leaf_spine.latency_s == 2e-6);
  CHECK(bundled.link_of[0] == bundled.link_of[4]);
  CHECK(bundled.link_of[0] != bundled.link_of[2]);
  CHECK(bundled.link_of[1] == reverse(*bundled.link_of[0]));

  // Across nothing, every vertex and cable stays.
  CHECK(bundle(topology, {}).topology.cable_count() == topology.cable_count());
}
