#include <algorithm>

#include "tests/support/catch.h"
#include "topologies/analysis/hose_bound.h"
#include "topologies/analysis/reachability.h"
#include "topologies/analysis/topology_report.h"
#include "topologies/builders/chip_mesh.h"
#include "topologies/builders/dragonfly.h"
#include "topologies/builders/fat_tree.h"
#include "topologies/builders/presets.h"
#include "topologies/builders/wafer_mesh.h"

using namespace rackwright;
using namespace rackwright::topologies;

namespace {

constexpr double steps = 1e9;

Topology fat_tree(int k, double oversubscription = 1) {
  FatTreeParameters parameters;
  parameters.k = k;
  parameters.oversubscription = oversubscription;
  TopologyBuilder builder;
  add_fat_tree(builder, parameters, add_bare_hosts(builder, "h", parameters.capacity(), 1), "ft");
  return builder.build();
}

Topology torus(std::array<int, 3> size, std::array<bool, 3> wraps = {true, true, true}) {
  TorusParameters parameters;
  parameters.size = size;
  parameters.wraps = wraps;
  parameters.host_shape = {1, 1, 1};
  parameters.nics_per_host = 0;
  TopologyBuilder builder;
  add_torus(builder, parameters, "t");
  return builder.build();
}

/// `pods` of 4 boxes, 8 rails, `uplinks` from each leaf to 4 spines.
Topology rail_fabric(int pods, int uplinks) {
  LeafSpineParameters parameters;
  parameters.hosts_per_pod = 4;
  parameters.uplinks_per_leaf = uplinks;
  parameters.spines_per_block = 4;
  TopologyBuilder builder;
  std::vector<HostPorts> hosts;
  for (int h = 0; h < 4 * pods; ++h) hosts.push_back(add_nvlink_island(builder, hgx_h200(), "h" + std::to_string(h))[0]);
  add_leaf_spine(builder, parameters, hosts, "f");
  return builder.build();
}

DomainIndex island(const Topology& topology) {
  for (std::uint32_t d = 0; d < topology.domains().size(); ++d)
    if (topology.domains()[d].kind == DomainKind::island) return {d};
  throw std::logic_error("no island");
}

Bisection bisect(const FabricView& view, const Grid* grid = nullptr) {
  std::optional<UniformTraffic> uniform;
  if (grid != nullptr) uniform = uniform_traffic_on_torus(view, *grid);
  if (!uniform) uniform = uniform_traffic(view, steps);
  return bisection(view, uniform, grid, {steps});
}

/// The kind of failure whose name ends so.
const FailureImpact& impact(const LevelReport& level, std::string_view what) {
  for (const FailureImpact& found : level.failures)
    if (found.what.ends_with(what)) return found;
  throw std::logic_error("no such failure");
}

}  // namespace

TEST_CASE("Between hosts, a box of 8 GPUs is one terminal of weight 8 and its insides are gone") {
  const Topology topology = rail_fabric(2, 4);
  const FabricView view = view_between_hosts(topology);
  CHECK(view.terminals().size() == 8);
  CHECK(view.total_weight() == 64);
  CHECK(view.nodes.size() == 8 + 16 + 4);
  CHECK(view.cables.size() == 64 + 16 * 4);
  const TwinView twins = merge_twins(view);
  // The four boxes of a pod are twins; ordered pairs of them: 4 · 3 · 8 · 8.
  CHECK(twins.view.terminals().size() == 2);
  CHECK(twins.inner_pairs[twins.node_of[view.terminals()[0]]] == 4 * 3 * 64);
}

TEST_CASE("A full fat-tree of k³/4 hosts has exactly k³/8 links of bisection and diameter 6") {
  for (const int k : {4, 8}) {
    const Topology topology = fat_tree(k);
    const FabricView view = view_between_hosts(topology);
    const auto uniform = uniform_traffic(view, steps);
    REQUIRE(uniform);
    CHECK(uniform->diameter == 6);
    // Of the k³/4 - 1 others, k/2 - 1 are 2 hops away, k²/4 - k/2 are 4, the rest 6.
    const double others = k * k * k / 4.0 - 1;
    const double near = k / 2.0 - 1;
    const double pod = k * k / 4.0 - k / 2.0;
    CHECK(uniform->mean_hops == Approx((2 * near + 4 * pod + 6 * (others - near - pod)) / others));
    // Non-blocking: every host can send at its own 50 GB/s.
    CHECK(uniform->sent_by_each == Approx(50e9));
    const Bisection halves = bisect(view);
    CHECK(halves.is_exact);
    CHECK(halves.upper == k * k * k / 8 * 50e9);
  }
}

TEST_CASE("A fat-tree oversubscribed 3:1 has a third of the bandwidth per host, and says so tier by tier") {
  const Topology topology = fat_tree(8, 3);
  const Bisection halves = bisect(view_between_hosts(topology));
  CHECK(halves.is_exact);
  // 384 hosts; the core is that of 128.
  CHECK(halves.upper == 64 * 50e9);
  const auto tiers = oversubscription_by_tier(topology);
  REQUIRE(tiers.size() == 2);
  CHECK(tiers[0].ratio() == 3);
  CHECK(tiers[1].ratio() == 1);
  CHECK(oversubscription_of_pods(topology).most == 3);
}

TEST_CASE("Leaf-spine oversubscription is hosts per pod over uplinks, and bisection follows it") {
  for (const auto& [uplinks, ratio] : std::vector<std::pair<int, double>>{{4, 1}, {2, 2}, {1, 4}}) {
    const Topology topology = rail_fabric(2, uplinks);
    CHECK(oversubscription_by_tier(topology)[0].ratio() == ratio);
    CHECK(oversubscription_of_pods(topology).least == ratio);
    const Bisection halves = bisect(view_between_hosts(topology));
    CHECK(halves.is_exact);
    // Two pods of 8 leaves: 8 · uplinks cables between them.
    CHECK(halves.upper == 8 * uplinks * 50e9);
    CHECK(halves.smaller_weight == 32);
  }
}

TEST_CASE("The hose share of a blocking fabric is the inverse of its oversubscription") {
  CHECK(*hose_share(view_between_hosts(rail_fabric(4, 4)), steps) == Approx(1));
  CHECK(*hose_share(view_between_hosts(rail_fabric(4, 1)), steps) == Approx(0.25));
  CHECK(*hose_share(view_between_hosts(fat_tree(8, 2)), steps) == Approx(0.5));
  CHECK_FALSE(hose_share(view_between_hosts(fat_tree(8)), 10));
}

TEST_CASE("A torus with even longest side k has bisection 2N/k links, exactly, and diameter the sum of k/2") {
  for (const std::array<int, 3> size : {std::array{4, 4, 4}, std::array{6, 4, 2}, std::array{8, 8, 1}, std::array{8, 3, 3}}) {
    const Topology topology = torus(size);
    const FabricView view = view_inside_island(topology, island(topology));
    const Grid& grid = topology.grids()[0];
    const auto uniform = uniform_traffic_on_torus(view, grid);
    REQUIRE(uniform);
    CHECK(uniform->diameter == size[0] / 2 + size[1] / 2 + size[2] / 2);
    const Bisection halves = bisect(view, &grid);
    CHECK(halves.is_exact);
    CHECK(halves.upper == 2.0 * grid.count() / size[0] * 100e9);
  }
}

TEST_CASE("The symmetric answer for a torus equals the one that sends to every chip") {
  const Topology topology = torus({5, 4, 2});
  const FabricView view = view_inside_island(topology, island(topology));
  const auto quick = uniform_traffic_on_torus(view, topology.grids()[0]);
  const auto full = uniform_traffic(view, steps);
  REQUIRE(quick);
  REQUIRE(full);
  CHECK(quick->pair_rate == Approx(full->pair_rate));
  CHECK(quick->mean_hops == Approx(full->mean_hops));
  CHECK(quick->diameter == full->diameter);
  CHECK(quick->sent_by_each == Approx(full->sent_by_each));
  // One that does not wrap is no torus.
  const Topology mesh = torus({5, 4, 2}, {true, false, true});
  CHECK_FALSE(uniform_traffic_on_torus(view_inside_island(mesh, island(mesh)), mesh.grids()[0]));
}

TEST_CASE("A mesh of even longest side is cut by the product of the others, an odd one by the sum of its products") {
  for (const auto& [size, links] : std::vector<std::pair<std::array<int, 3>, double>>{{{6, 5, 1}, 5}, {{5, 5, 1}, 6}, {{3, 3, 3}, 9 + 3 + 1}, {{5, 4, 1}, 5}}) {
    const Topology topology = torus(size, {false, false, false});
    const Bisection halves = bisect(view_inside_island(topology, island(topology)), &topology.grids()[0]);
    CHECK(halves.upper == links * 100e9);
    CHECK(halves.is_exact);
  }
}

TEST_CASE("NVL72: 18 disjoint paths, two hops, 36 · 900 GB/s of bisection; one switch costs one in 18") {
  TopologyBuilder builder;
  add_nvlink_island(builder, gb200_nvl72(), "r");
  const TopologyReport report = analyze(builder.build(), {});
  REQUIRE(report.levels.size() == 1);
  const LevelReport& level = report.levels[0];
  CHECK(level.terminals == 72);
  CHECK(level.uniform->diameter == 2);
  CHECK(level.uniform->sent_by_each == Approx(900e9));
  CHECK(level.diversity.fewest_disjoint == 18);
  CHECK(level.bisection.is_exact);
  CHECK(level.bisection.upper == 36 * 900e9);
  REQUIRE(level.failures.size() == 3);
  CHECK(level.failures[0].what == "cable, 50 GB/s nvlink, accelerator - scale_up_switch tier 1");
  CHECK(level.failures[0].bisection_loss == Approx(1 / (36 * 18.0)));
  CHECK(level.failures[0].cut_off == 0);
  CHECK(level.failures[1].what == "scale_up_switch tier 1");
  CHECK(*level.failures[1].uniform_loss == Approx(1 / 18.0));
  CHECK(level.failures[1].bisection_loss == Approx(1 / 18.0));
  CHECK(level.failures[2].what == "plane");
}

TEST_CASE("Losing one NVLink of a bundle costs that lane only, losing the switch all five of 18") {
  TopologyBuilder builder;
  add_nvlink_island(builder, hgx_h200(), "h");
  const LevelReport level = analyze(builder.build(), {}).levels.at(0);
  CHECK(level.failures.at(0).count == 32);
  CHECK(level.failures.at(1).bisection_loss == Approx(5 / 18.0));
  // The bisection has 4 · 18 links.
  CHECK(level.failures.at(0).bisection_loss == Approx(1 / 72.0));
  // What one GPU gets over a switch of four links falls to three of them.
  CHECK(*level.failures.at(0).uniform_loss == Approx(1 / 4.0));
}

TEST_CASE("Eight GPUs joined directly have 16 links between halves and lose one pair with one cable") {
  TopologyBuilder builder;
  add_nvlink_island(builder, mi300x_oam(), "h");
  const LevelReport level = analyze(builder.build(), {}).levels.at(0);
  CHECK(level.bisection.is_exact);
  CHECK(level.bisection.upper == 16 * 64e9);
  CHECK(level.uniform->sent_by_each == 7 * 64e9);
  // GPUs do not forward: 2 of 56 ordered pairs.
  CHECK(level.failures.at(0).cut_off == Approx(2 / 56.0));
}

TEST_CASE("In a rail fabric one NIC, one leaf and one rail cost an eighth of a host, of a pod and of everything") {
  const TopologyReport report = analyze(rail_fabric(2, 4), {});
  REQUIRE(report.levels.size() == 2);
  const LevelReport& fabric = report.levels[0];
  CHECK(fabric.name == "between hosts");
  CHECK(fabric.single_point_nodes == 0);
  CHECK(fabric.diversity.fewest_disjoint == 8);
  CHECK(fabric.uniform->diameter == 4);
  CHECK(*impact(fabric, "tier 1 - nic").uniform_loss == Approx(1 / 8.0));
  CHECK(impact(fabric, "tier 1 - nic").bisection_loss == Approx(1 / 32.0));
  CHECK(impact(fabric, "rail").count == 8);
  CHECK(*impact(fabric, "rail").uniform_loss == Approx(1 / 8.0));
  CHECK(impact(fabric, "rail").bisection_loss == Approx(1 / 8.0));
  CHECK(impact(fabric, "rail").cut_off == 0);
  CHECK(report.levels[1].alike == 8);
}

TEST_CASE("A single-homed host is cut off by its cable and its edge switch, and only those are single points") {
  const LevelReport level = analyze(fat_tree(4), {}).levels.at(0);
  CHECK(level.single_point_nodes == 8);
  CHECK(level.single_point_cables == 16);
  // 1 of 16 hosts: 2 · 15 of 16 · 15 ordered pairs; 2 hosts of an edge switch: 2 · (2 · 14) + 2.
  CHECK(impact(level, "tier 1 - nic").cut_off == Approx(30 / 240.0));
  const auto& edge = *std::ranges::find(level.failures, "network_switch tier 1", &FailureImpact::what);
  CHECK(edge.cut_off == Approx(58 / 240.0));
  CHECK(edge.examined == 8);
}

TEST_CASE("A dragonfly group sends half of its hosts' bandwidth to others directly, and its bisection is bounded") {
  TopologyBuilder builder;
  add_dragonfly(builder, {}, add_bare_hosts(builder, "h", 72, 1), "df");
  const Topology topology = builder.build();
  const TopologyReport report = analyze(topology, {});
  // 8 hosts, 8 global cables a group.
  CHECK(report.pods.pods == 9);
  CHECK(report.pods.most == 1);
  const Bisection& halves = report.levels[0].bisection;
  CHECK_FALSE(halves.is_exact);
  CHECK(halves.lower <= halves.upper);
  // Any 4 : 5 split of the groups cuts at least 4 · 5 = 20 global cables, and some halving cuts no more than 22.
  CHECK(halves.upper <= 22 * 50e9);
  CHECK(report.levels[0].uniform->diameter == 5);
}

TEST_CASE("The inventory counts lanes, ports and transceivers, and prices them at 17 W an 800 Gb/s module") {
  const Inventory inventory = take_inventory(rail_fabric(2, 4), {});
  CHECK(inventory.vertices.at(VertexKind::accelerator) == 64);
  const auto& [switches, ports, used] = inventory.ports.at({VertexKind::network_switch, 1});
  CHECK(switches == 16);
  CHECK(ports == 16 * 64);
  CHECK(used == 16 * (4 + 4));
  CHECK(inventory.cables.at({LinkKind::nvlink, Cable::board, 25e9}).cables == 8 * 8 * 18);
  const Inventory::CableCount& spine = inventory.cables.at({LinkKind::infiniband, Cable::single_mode, 50e9});
  CHECK(spine.cables == 64);
  CHECK(spine.transceivers == 128);
  // Two ends of half a module each.
  CHECK(spine.power_w == Approx(64 * 17.0));
}

TEST_CASE("Hosts that nothing joins are separate, and the report says how many pairs") {
  TopologyBuilder builder;
  LeafSpineParameters parameters;
  parameters.rails = 1;
  parameters.hosts_per_pod = 2;
  const auto joined = add_bare_hosts(builder, "a", 2, 1);
  add_leaf_spine(builder, parameters, joined, "f");
  add_bare_hosts(builder, "b", 2, 1);
  const LevelReport level = analyze(builder.build(), {}).levels.at(0);
  // Of 4 · 3 ordered pairs, 2 are joined.
  CHECK(level.separated == Approx(10 / 12.0));
  CHECK(level.uniform->unreachable_share == Approx(10 / 12.0));
  CHECK(level.bisection.upper == 0);
  CHECK(level.bisection.is_exact);
}

TEST_CASE("Nothing to analyze gives an empty report and no failure") {
  CHECK(analyze(TopologyBuilder().build(), {}).levels.empty());
  TopologyBuilder builder;
  add_bare_hosts(builder, "h", 1, 4);
  const TopologyReport report = analyze(builder.build(), {});
  CHECK(report.levels.empty());
  CHECK(to_text(report) == "vertices\n  nic                       4\n");
}

TEST_CASE("The report of a small board reads like this") {
  TopologyBuilder builder;
  NvlinkIslandParameters board = hgx_b200();
  board.host.accelerators = 2;
  board.host.nics = 0;
  board.host.pcie_switches = 0;
  board.host.processors = 1;
  board.switches = 1;
  add_nvlink_island(builder, board, "b");
  CHECK(to_text(analyze(builder.build(), {})) ==
        "vertices\n"
        "  accelerator               2\n"
        "  processor                 1\n"
        "  scale_up_switch           1\n"
        "switch ports\n"
        "  scale_up_switch tier 1          1 switches, 36 ports used\n"
        "cables (both directions alike; transceivers are pluggable)\n"
        "  pcie         board              63 GB/s         2         0 transceivers      20.2 W\n"
        "  nvlink       board              50 GB/s        36         0 transceivers       288 W\n"
        "  together: 0 transceivers, link power 308 W\n"
        "inside island b\n"
        "  terminals             2 standing for 2, 1 switches, 2 cables\n"
        "  hops                  2 at most (diameter), 2.000 on average\n"
        "  single points         1 switches, 2 cables\n"
        "  path diversity        1 disjoint, 1 shortest paths (1 pairs)\n"
        "  all-to-all            900 GB/s from each (shortest paths, even split)\n"
        "  bisection bandwidth   900 GB/s (exact; halves of 1 and 1)\n"
        "  one failure costs (worst of its kind)     cut off   all-to-all    bisection\n"
        "    cable, 50 GB/s nvlink, accelerator - scale_up_switch tier 1\n"
        "      all 2                                     0 %       5.56 %       5.56 %   b/acc0 - b/nvsw0\n"
        "    scale_up_switch tier 1\n"
        "      all 1                                   100 %        100 %        100 %   b/nvsw0\n");
}
