#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/breadth_first_search.hpp>
#include <set>

#include "models/base/random.h"
#include "tests/support/catch.h"
#include "topologies/builders/chip_mesh.h"
#include "topologies/builders/dragonfly_plus.h"
#include "topologies/builders/leaf_spine.h"
#include "topologies/builders/presets.h"
#include "topologies/builders/torus.h"
#include "topologies/routing/router.h"

using namespace rackwright;
using namespace rackwright::topologies;

namespace {

constexpr std::uint64_t seeds = 40;

class HashedLoads : public LinkLoads {
 public:
  double load(LinkIndex link) const override { return static_cast<double>(link.value * 2654435761u % 7u); }
};

std::uint32_t below(RandomStream& random, std::uint32_t bound) { return static_cast<std::uint32_t>(random() % bound); }

/// A connected or disconnected graph of plain nodes, with parallel cables and some that carry one direction only.
Topology random_graph(RandomStream& random) {
  TopologyBuilder builder;
  const std::uint32_t count = 2 + below(random, 30);
  for (std::uint32_t i = 0; i < count; ++i) {
    Vertex vertex;
    vertex.name = "v" + std::to_string(i);
    vertex.tier = static_cast<std::int8_t>(below(random, 3));
    builder.add(vertex);
  }
  for (std::uint32_t c = 0; c < count + below(random, count); ++c) {
    const std::uint32_t a = below(random, count);
    const std::uint32_t b = below(random, count);
    if (a != b) builder.connect_asymmetric({a}, {b}, {1e9}, below(random, 5) == 0 ? 0 : 1e9);
  }
  return builder.build();
}

/// Hops from `from` to every vertex by Boost's breadth-first search; -1 out of reach.
std::vector<int> oracle_hops(const Topology& topology, VertexIndex from, const std::set<std::uint32_t>& dead_cables) {
  boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS> graph(topology.vertex_count());
  for (std::uint32_t i = 0; i < topology.links().size(); ++i)
    if (topology.links()[i].bandwidth > 0 && !dead_cables.contains(i / 2))
      boost::add_edge(topology.links()[i].from.value, topology.links()[i].to.value, graph);
  std::vector<int> hops(topology.vertex_count(), -1);
  hops[from.value] = 0;
  boost::breadth_first_search(graph, from.value, boost::visitor(boost::make_bfs_visitor(boost::record_distances(
                                                     boost::make_iterator_property_map(hops.begin(), boost::get(boost::vertex_index, graph)),
                                                     boost::on_tree_edge()))));
  return hops;
}

void check_walk(const Topology& topology, VertexIndex from, VertexIndex to, const Route& route) {
  VertexIndex at = from;
  std::set<VertexIndex> visited{from};
  for (const LinkIndex link : route.links) {
    REQUIRE(topology[link].from == at);
    REQUIRE(topology[link].bandwidth > 0);
    at = topology[link].to;
    REQUIRE(visited.insert(at).second);
  }
  REQUIRE(at == to);
}

}  // namespace

TEST_CASE("Minimal routes on random graphs are as long as a breadth-first search says, before and after failures") {
  const HashedLoads loads;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    RandomStream random(seed, "routing", "graph");
    const Topology topology = random_graph(random);
    for (const PathChoice choice : {PathChoice::deterministic, PathChoice::ecmp, PathChoice::least_loaded}) {
      INFO("seed " << seed << ", choice " << static_cast<int>(choice));
      Router router(topology, {.choice = choice}, &loads);
      std::set<std::uint32_t> dead;
      Route route;
      for (int round = 0; round < 3; ++round) {
        for (std::uint32_t a = 0; a < topology.vertex_count(); ++a) {
          const std::vector<int> hops = oracle_hops(topology, {a}, dead);
          for (std::uint32_t b = 0; b < topology.vertex_count(); ++b) {
            const bool found = router.find({{a}, {b}, seed * 1000 + a}, route);
            REQUIRE(found == (hops[b] >= 0));
            REQUIRE(static_cast<int>(route.links.size()) == std::max(hops[b], 0));
            if (found) check_walk(topology, {a}, {b}, route);
            for (const LinkIndex link : route.links) REQUIRE_FALSE(dead.contains(link.value / 2));
          }
        }
        if (topology.cable_count() == 0) break;
        const std::uint32_t cable = below(random, static_cast<std::uint32_t>(topology.cable_count()));
        if (dead.insert(cable).second) router.fail(LinkIndex{2 * cable});
      }
    }
  }
}

TEST_CASE("Up/down routes never climb a tier after going down one, and are no shorter than minimal ones") {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    INFO("seed " << seed);
    RandomStream random(seed, "routing", "tiers");
    const Topology topology = random_graph(random);
    Router minimal(topology, {});
    Router up_down(topology, {.discipline = Discipline::up_down});
    Route shortest;
    Route route;
    for (std::uint32_t a = 0; a < topology.vertex_count(); ++a)
      for (std::uint32_t b = 0; b < topology.vertex_count(); ++b) {
        const bool reachable = minimal.find({{a}, {b}, seed}, shortest);
        if (!up_down.find({{a}, {b}, seed}, route)) continue;
        REQUIRE(reachable);
        REQUIRE(route.links.size() >= shortest.links.size());
        check_walk(topology, {a}, {b}, route);
        bool went_down = false;
        for (const LinkIndex link : route.links) {
          const int step = topology[topology[link].to].tier - topology[topology[link].from].tier;
          REQUIRE_FALSE((went_down && step > 0));
          went_down = went_down || step < 0;
        }
      }
  }
}

TEST_CASE("Routes through clusters pass only what forwards for them, under every policy") {
  const HashedLoads loads;
  TopologyBuilder builder;
  std::vector<HostPorts> hosts;
  for (int h = 0; h < 6; ++h) hosts.push_back(add_nvlink_island(builder, hgx_h200(), "h" + std::to_string(h))[0]);
  for (const HostPorts& tray : add_nvlink_island(builder, gb200_nvl72(), "r")) hosts.push_back(tray);
  TorusParameters torus;
  torus.size = {4, 4, 2};
  for (const HostPorts& host : add_torus(builder, torus, "t")) hosts.push_back(host);
  for (const HostPorts& node : add_chip_mesh(builder, {}, "g")) hosts.push_back(node);
  LeafSpineParameters fabric;
  fabric.hosts_per_pod = 7;
  fabric.uplinks_per_leaf = 5;
  fabric.spines_per_block = 3;
  fabric.pods_per_block = 3;
  fabric.cores = 2;
  fabric.uplinks_per_spine = 4;
  fabric.switch_ports = 0;
  add_leaf_spine(builder, fabric, hosts, "f");
  const Topology topology = builder.build();
  const std::vector<VertexIndex> ends = endpoints(topology);

  for (const PathChoice choice : {PathChoice::deterministic, PathChoice::ecmp, PathChoice::least_loaded})
    for (const NicChoice nic : {NicChoice::own, NicChoice::destination_rail})
      for (const Discipline discipline : {Discipline::minimal, Discipline::up_down}) {
        Router router(topology, {choice, nic, discipline, 2}, &loads);
        RandomStream random(7, "routing", "cluster");
        Route route;
        for (int n = 0; n < 300; ++n) {
          const VertexIndex from = ends[below(random, static_cast<std::uint32_t>(ends.size()))];
          const VertexIndex to = ends[below(random, static_cast<std::uint32_t>(ends.size()))];
          INFO(topology[from].name << " to " << topology[to].name << ", policy " << static_cast<int>(choice) << static_cast<int>(nic)
                                   << static_cast<int>(discipline));
          REQUIRE(router.find({from, to, random()}, route));
          check_walk(topology, from, to, route);
          for (std::size_t i = 0; i + 1 < route.links.size(); ++i) {
            const Vertex& through = topology[topology[route.links[i]].to];
            const DomainIndex host = through.in(DomainKind::host);
            const bool at_an_end = host == topology[from].in(DomainKind::host) || host == topology[to].in(DomainKind::host);
            if (through.forwarding == Forwarding::within_host) REQUIRE(at_an_end);
            // Only a change of rail may pass an accelerator that does not forward by itself.
            if (through.forwarding == Forwarding::never) REQUIRE((nic == NicChoice::destination_rail && host == topology[from].in(DomainKind::host)));
          }
        }
      }
}
