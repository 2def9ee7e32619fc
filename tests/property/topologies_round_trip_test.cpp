#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/isomorphism.hpp>
#include <fstream>
#include <sstream>

#include "models/base/random.h"
#include "tests/support/catch.h"
#include "tests/support/shared_data.h"
#include "topologies/builders/chip_mesh.h"
#include "topologies/builders/dragonfly.h"
#include "topologies/builders/dragonfly_plus.h"
#include "topologies/builders/fat_tree.h"
#include "topologies/builders/presets.h"
#include "topologies/builders/torus.h"
#include "topologies/builders/wafer_mesh.h"
#include "topologies/exporters/exporters.h"
#include "topologies/importers/importer.h"

using namespace rackwright;
using namespace rackwright::topologies;

namespace {

std::uint32_t below(RandomStream& random, std::uint32_t bound) { return static_cast<std::uint32_t>(random() % bound); }

/// Any vertices and cables at all, with names that need escaping.
Topology random_topology(RandomStream& random) {
  static const std::vector<std::string> pieces{"a", "b&c", "<d>", "\"e\"", "'f'", "\t", " ", "\n", "ü", "東京", "x:y", "#2", "]]>", "%"};
  TopologyBuilder builder;
  const std::uint32_t count = 1 + below(random, 25);
  for (std::uint32_t i = 0; i < count; ++i) {
    Vertex vertex;
    std::string name;
    for (std::uint32_t p = 0; p < 1 + below(random, 4); ++p) name += pieces[below(random, static_cast<std::uint32_t>(pieces.size()))];
    vertex.name = builder.unique_name(name);
    vertex.kind = static_cast<VertexKind>(below(random, 9));
    vertex.forwarding = static_cast<Forwarding>(below(random, 3));
    vertex.tier = static_cast<std::int8_t>(below(random, 4));
    vertex.reduces = below(random, 2) == 0;
    vertex.ports = static_cast<std::uint16_t>(below(random, 65536));
    for (int k = 0; k < domain_kind_count; ++k)
      if (below(random, 2) == 0)
        vertex.in(static_cast<DomainKind>(k)) = builder.domain(static_cast<DomainKind>(k), pieces[below(random, 4)] + std::to_string(below(random, 3)));
    builder.add(vertex);
  }
  for (std::uint32_t c = 0; c < below(random, 60); ++c) {
    const VertexIndex a{below(random, count)};
    const VertexIndex b{below(random, count)};
    if (a == b) continue;
    const LinkSpec spec{below(random, 4) == 0 ? 0 : random.uniform() * 1e12, random.uniform() * 1e-5, static_cast<LinkKind>(below(random, 11)),
                        static_cast<Cable>(below(random, 9)), static_cast<std::uint16_t>(1 + below(random, 65535))};
    builder.connect_asymmetric(a, b, spec, below(random, 3) == 0 ? spec.bandwidth : below(random, 2) * random.uniform() * 1e9,
                               {static_cast<std::uint16_t>(1 + below(random, 60000)), static_cast<std::uint16_t>(1 + below(random, 60000))});
  }
  return builder.build();
}

void check_same(const Topology& a, const Topology& b) {
  REQUIRE(a.vertex_count() == b.vertex_count());
  REQUIRE(a.cable_count() == b.cable_count());
  for (std::uint32_t i = 0; i < a.vertex_count(); ++i) {
    const Vertex& x = a.vertices()[i];
    const Vertex& y = b.vertices()[i];
    REQUIRE(x.name == y.name);
    REQUIRE(x.kind == y.kind);
    REQUIRE(x.forwarding == y.forwarding);
    REQUIRE(x.tier == y.tier);
    REQUIRE(x.reduces == y.reduces);
    REQUIRE(x.ports == y.ports);
    for (std::size_t k = 0; k < x.domains.size(); ++k) {
      REQUIRE((x.domains[k] == no_domain) == (y.domains[k] == no_domain));
      if (x.domains[k] != no_domain) REQUIRE(a[x.domains[k]].name == b[y.domains[k]].name);
    }
  }
  for (std::uint32_t i = 0; i < a.links().size(); ++i) {
    const Link& x = a.links()[i];
    const Link& y = b.links()[i];
    REQUIRE(x.from == y.from);
    REQUIRE(x.to == y.to);
    REQUIRE(x.bandwidth == y.bandwidth);
    REQUIRE(x.latency_s == y.latency_s);
    REQUIRE(x.kind == y.kind);
    REQUIRE(x.cable == y.cable);
    REQUIRE(x.lanes == y.lanes);
    REQUIRE(x.from_port == y.from_port);
    REQUIRE(x.to_port == y.to_port);
  }
  REQUIRE(a.grids().size() == b.grids().size());
  for (std::size_t g = 0; g < a.grids().size(); ++g) {
    REQUIRE(a.grids()[g].first == b.grids()[g].first);
    REQUIRE(a.grids()[g].size == b.grids()[g].size);
    REQUIRE(a.grids()[g].wraps == b.grids()[g].wraps);
  }
}

void check_round_trips(const Topology& topology) {
  for (const TopologyFormat format : {TopologyFormat::graphml, TopologyFormat::simgrid}) {
    const std::string text = format == TopologyFormat::graphml ? export_graphml(topology) : export_simgrid(topology);
    REQUIRE(detect_topology_format(text) == format);
    Diagnostics diagnostics;
    const auto again = import_topology(text, "export", format, {}, diagnostics);
    for (const Diagnostic& finding : diagnostics.all()) FAIL(to_string(finding));
    REQUIRE(again);
    check_same(topology, *again);
  }
}

}  // namespace

TEST_CASE("Random topologies come back from GraphML and SimGrid as they went, names, numbers and order included") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    INFO("seed " << seed);
    RandomStream random(seed, "round trip", "topology");
    check_round_trips(random_topology(random));
  }
}

TEST_CASE("What the builders make comes back from GraphML and SimGrid") {
  TopologyBuilder builder;
  auto hosts = add_nvlink_island(builder, gb200_nvl72(), "rack");
  const auto box = add_nvlink_island(builder, hgx_h200(), "box");
  hosts.insert(hosts.end(), box.begin(), box.end());
  LeafSpineParameters fabric;
  fabric.hosts_per_pod = 10;
  add_leaf_spine(builder, fabric, hosts, "fabric");
  check_round_trips(builder.build());
  add_fat_tree(builder, {}, add_bare_hosts(builder, "h", 16, 1), "tree");
  add_dragonfly(builder, {}, add_bare_hosts(builder, "d", 72, 1), "fly");
  add_dragonfly_plus(builder, {}, add_bare_hosts(builder, "p", 144, 1), "plus");
  check_round_trips(builder.build());
  add_torus(builder, {}, "torus");
  add_chip_mesh(builder, {}, "mesh");
  add_wafer_mesh(builder, {}, "wafer");
  check_round_trips(builder.build());
}

TEST_CASE("What the importers read comes back from GraphML and SimGrid") {
  for (const std::string name : {"nvidia-smi/h200-x2.txt", "ibnetdiscover/example.out", "nccl-xml/topo_16p1h.xml", "nccl-xml/g5.48xl-topo.xml",
                                 "graphml/Cogentco.graphml", "graphml/Geant2012.graphml"}) {
    INFO(name);
    Diagnostics diagnostics;
    const auto topology = import_topology_file(test::shared_data("topologies/" + name), {}, diagnostics);
    REQUIRE(topology);
    check_round_trips(*topology);
  }
}

TEST_CASE("A fat-tree and its re-import are isomorphic graphs, and one with a cable moved is not") {
  using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS>;
  const auto graph = [](const Topology& topology) {
    Graph made(topology.vertex_count());
    for (std::size_t i = 0; i < topology.links().size(); i += 2) boost::add_edge(topology.links()[i].from.value, topology.links()[i].to.value, made);
    return made;
  };
  TopologyBuilder builder;
  add_fat_tree(builder, {}, add_bare_hosts(builder, "h", 16, 1), "tree");
  const Topology tree = builder.build();
  Diagnostics diagnostics;
  const auto again = import_topology(export_simgrid(tree), "export", TopologyFormat::simgrid, {}, diagnostics);
  REQUIRE(again);
  CHECK(boost::isomorphism(graph(tree), graph(*again)));
  // One cable moved within a pod leaves the same counts of vertices and cables and another graph.
  TopologyBuilder moved;
  moved.append(tree, "");
  Topology other = moved.build();
  std::vector<Link> links(other.links().begin(), other.links().end());
  const VertexIndex edge = *other.find("tree/edge1");
  for (std::size_t i = links.size() - 2; i < links.size(); ++i) (i % 2 == 0 ? links[i].to : links[i].from) = edge;
  const Topology changed({other.vertices().begin(), other.vertices().end()}, links, {other.domains().begin(), other.domains().end()}, {});
  CHECK_FALSE(boost::isomorphism(graph(tree), graph(changed)));
}

TEST_CASE("DOT has a node for each vertex, an edge for each cable and a cluster for each host") {
  TopologyBuilder builder;
  add_nvlink_island(builder, hgx_h200(), "box \"1\"");
  const Topology topology = builder.build();
  const std::string text = export_dot(topology);
  const auto occurrences = [&](std::string_view what) {
    std::size_t n = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
    return n;
  };
  CHECK(occurrences(" -- ") == topology.cable_count());
  CHECK(occurrences("shape=") == topology.vertex_count());
  CHECK(occurrences("subgraph cluster_") == 1);
  CHECK(occurrences("box \\\"1\\\"") == topology.vertex_count() + 1);
  CHECK(occurrences("125 GB/s") == 16);  // 5 of 18 NVLinks to each of the first two switches.
}
