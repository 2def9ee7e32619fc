#include <sys/resource.h>

#include <ctime>
#include <map>
#include <memory>

#include "sim/engine/make_engine.h"
#include "sim/fabric/device_fabric.h"
#include "tests/support/catch.h"

using namespace rackwright;
using namespace rackwright::fabric;
using namespace rackwright::topologies;
using cost::TransferMechanism;

namespace {

constexpr double GB = 1e9;

HallGroupParameters eight_gpu_nodes(std::string name, int nodes) {
  HallGroupParameters group;
  group.name = std::move(name);
  group.nodes_per_rack = nodes;
  group.devices_per_node = 8;
  group.island_devices = 8;
  group.scale_up_bandwidth = 400 * GB;
  group.scale_up_latency_s = 2e-6;
  group.host_bandwidth = 64 * GB;
  group.nics_per_node = 8;
  return group;
}

/// Mechanisms that cost nothing and reach all of the link.
std::vector<MechanismTable> free_mechanisms(const HallParameters& hall) {
  std::vector<MechanismTable> tables(hall.groups.size());
  for (MechanismTable& table : tables)
    for (int m = 0; m < cost::transfer_mechanism_count; ++m) table[static_cast<std::size_t>(m)].mechanism = static_cast<TransferMechanism>(m);
  return tables;
}

struct Bench final : DeviceTransferHandler {
  Bench(const HallParameters& parameters, FlowGrouping grouping) : Bench(parameters, free_mechanisms(parameters), grouping) {}
  Bench(const HallParameters& parameters, const std::vector<MechanismTable>& mechanisms, FlowGrouping grouping) : engine(engine::make_engine()) {
    Diagnostics diagnostics;
    hall = build_hall(parameters, "fabric", diagnostics);
    for (const Diagnostic& finding : diagnostics.all()) UNSCOPED_INFO(finding.path + ": " + finding.message);
    REQUIRE(hall);
    paths.emplace(*hall, mechanisms, grouping);
    fabric = std::make_unique<DeviceFabric>(*engine, *paths, FabricParameters{});
  }
  void start(DeviceTransfer transfer, std::uint64_t token) { ids[token] = fabric->start(transfer, 0, *this, token); }
  void on_device_transfer_done(DeviceTransferId, std::uint64_t token) override { end_s[token] = engine->now().seconds(); }
  void on_device_transfer_rate(DeviceTransferId, std::uint64_t token, double rate) override {
    most_rate[token] = std::max(most_rate[token], rate);
  }

  std::optional<Hall> hall;
  std::optional<DevicePaths> paths;
  std::unique_ptr<engine::Engine> engine;
  std::unique_ptr<DeviceFabric> fabric;
  std::map<std::uint64_t, DeviceTransferId> ids;
  std::map<std::uint64_t, double> end_s;
  std::map<std::uint64_t, double> most_rate;
};

HallParameters two_nodes() {
  HallParameters hall;
  hall.groups = {eight_gpu_nodes("gpu", 2)};
  hall.scale_out = ScaleOutParameters{};
  return hall;
}

}  // namespace

TEST_CASE("Four devices send to four of another node over four cards, bundled into one flow or one a rail") {
  // 4 cards of 50 GB/s: 20 GB in 0.1 s, and the latency of a few microseconds.
  const FlowGrouping grouping = GENERATE(FlowGrouping::bundled, FlowGrouping::per_rail);
  Bench bench(two_nodes(), grouping);
  CHECK(bench.paths->reach({0, 0, 4}, {0, 12, 4}) == Reach::scale_out);
  bench.start({{0, 0, 4}, {0, 12, 4}, 20 * GB}, 1);
  bench.engine->run();
  CHECK(bench.end_s[1] == Approx(0.1).epsilon(1e-4));
  CHECK(bench.most_rate[1] == Approx(200 * GB));
  CHECK(bench.fabric->bytes_over(Reach::scale_out) == Approx(20 * GB));
  CHECK(bench.paths->undisturbed_seconds({{0, 0, 4}, {0, 12, 4}, 20 * GB}).value() == Approx(bench.end_s[1]).epsilon(1e-9));
}

TEST_CASE("Instances of one node that use cards of their own do not slow each other, those that send to one receiver share its cards") {
  // Devices 0-3 and 4-7 each to four devices of the other node: 200 GB/s each. Both to the same four: 100 GB/s each.
  const FlowGrouping grouping = GENERATE(FlowGrouping::bundled, FlowGrouping::per_rail);
  const bool same_receiver = GENERATE(false, true);
  CAPTURE(same_receiver);
  Bench bench(two_nodes(), grouping);
  bench.start({{0, 0, 4}, {0, 8, 4}, 20 * GB}, 1);
  bench.start({{0, 4, 4}, {0, same_receiver ? 8 : 12, 4}, 20 * GB}, 2);
  bench.engine->run();
  CHECK(bench.end_s[1] == Approx(same_receiver ? 0.2 : 0.1).epsilon(1e-4));
  CHECK(bench.end_s[2] == Approx(same_receiver ? 0.2 : 0.1).epsilon(1e-4));
}

TEST_CASE("Eight devices that send to two are bound by the two") {
  const FlowGrouping grouping = GENERATE(FlowGrouping::bundled, FlowGrouping::per_rail);
  Bench bench(two_nodes(), grouping);
  bench.start({{0, 0, 8}, {0, 8, 2}, 10 * GB}, 1);
  bench.engine->run();
  CHECK(bench.end_s[1] == Approx(0.1).epsilon(1e-4));
}

TEST_CASE("Within a scale-up domain a transfer takes its devices' links and the domain's latency") {
  // 2 · 400 GB/s: 8 GB in 10 ms after 2 us. Devices 2-3 take nothing of it; a second sender to 4-5 would.
  Bench bench(two_nodes(), FlowGrouping::bundled);
  CHECK(bench.paths->reach({0, 0, 2}, {0, 4, 2}) == Reach::scale_up);
  bench.start({{0, 0, 2}, {0, 4, 2}, 8 * GB}, 1);
  bench.start({{0, 2, 2}, {0, 6, 2}, 8 * GB}, 2);
  bench.engine->run();
  CHECK(bench.end_s[1] == Approx(2e-6 + 0.01).epsilon(1e-9));
  CHECK(bench.end_s[2] == Approx(2e-6 + 0.01).epsilon(1e-9));
}

TEST_CASE("Devices without a scale-up link share what PCIe gives them inside a node") {
  HallParameters hall = two_nodes();
  hall.groups[0].scale_up_bandwidth = 0;
  Bench bench(hall, FlowGrouping::bundled);
  CHECK(bench.paths->reach({0, 0, 1}, {0, 1, 1}) == Reach::host);
  bench.start({{0, 0, 1}, {0, 1, 1}, 64 * GB}, 1);
  bench.engine->run();
  CHECK(bench.end_s[1] == Approx(1).epsilon(1e-9));
}

TEST_CASE("A mechanism adds its start and bounds the rate by what it reaches of the narrower link") {
  // RDMA at 80 % of 4 · 50 GB/s, 1 ms before it starts: 16 GB in 0.1 + 0.001 s. TCP: 10 GB/s a node.
  HallParameters hall = two_nodes();
  std::vector<MechanismTable> mechanisms = free_mechanisms(hall);
  cost::TransferSpec& rdma = mechanisms[0][static_cast<std::size_t>(TransferMechanism::rdma)];
  rdma.start_s = 1e-3;
  rdma.link_fraction = 0.8;
  mechanisms[0][static_cast<std::size_t>(TransferMechanism::tcp)].node_bytes_per_s = 10 * GB;
  Bench bench(hall, mechanisms, FlowGrouping::bundled);
  bench.start({{0, 0, 4}, {0, 8, 4}, 16 * GB}, 1);
  bench.start({{0, 4, 4}, {0, 12, 4}, GB, 0, 0, TransferMechanism::tcp}, 2);
  bench.engine->run();
  CHECK(bench.end_s[1] == Approx(0.101).epsilon(1e-4));
  CHECK(bench.end_s[2] == Approx(0.1).epsilon(1e-4));
}

TEST_CASE("A join carries what two groups of racks send to each other, and all its cables are shared") {
  // 4 cables of 100 GB/s between 2 nodes of GPUs (2 each) and 4 nodes of LPUs (1 each): a node of LPUs receives 100 GB/s,
  // a node of GPUs sends 200 GB/s; all four nodes at once 400 GB/s.
  HallParameters hall = two_nodes();
  HallGroupParameters lpu = eight_gpu_nodes("lpu", 4);
  lpu.nics_per_node = 0;
  hall.groups.push_back(lpu);
  hall.joins = {{0, 1, 4, 100 * GB, 1e-6, LinkKind::ethernet}};
  Bench bench(hall, FlowGrouping::bundled);
  CHECK(bench.paths->reach({0, 0, 8}, {1, 0, 8}) == Reach::join);
  CHECK(bench.paths->reach({1, 0, 8}, {1, 8, 8}) == Reach::none);
  bench.start({{0, 0, 8}, {1, 0, 8}, 10 * GB}, 1);
  bench.start({{0, 0, 8}, {1, 8, 8}, 10 * GB}, 2);
  bench.start({{0, 0, 8}, {1, 16, 8}, 10 * GB}, 3);
  bench.engine->run();
  // Three receivers of 100 GB/s each from one node with 200 GB/s.
  for (int n : {1, 2, 3}) CHECK(bench.end_s[static_cast<std::uint64_t>(n)] == Approx(30.0 / 200).epsilon(1e-4));
}

TEST_CASE("In a torus neighbours forward for each other, and a link in the middle of two ways is shared") {
  // A ring of 8 chips, 100 GB/s a link, no way round: 0 → 2 and 1 → 3 both cross 1 → 2.
  HallParameters hall;
  HallGroupParameters ring;
  ring.name = "tpu";
  ring.nodes_per_rack = 2;
  ring.devices_per_node = 4;
  ring.torus = TorusParameters{};
  ring.torus->size = {8, 1, 1};
  ring.torus->wraps = {false, false, false};
  ring.torus->host_shape = {4, 1, 1};
  hall.groups = {ring};
  Bench bench(hall, FlowGrouping::bundled);
  CHECK(bench.paths->reach({0, 0, 1}, {0, 7, 1}) == Reach::torus);
  bench.start({{0, 0, 1}, {0, 2, 1}, 10 * GB}, 1);
  bench.start({{0, 1, 1}, {0, 3, 1}, 10 * GB}, 2);
  bench.engine->run();
  CHECK(bench.end_s[1] == Approx(0.2).epsilon(1e-4));
  CHECK(bench.end_s[2] == Approx(0.2).epsilon(1e-4));
}

TEST_CASE("An oversubscribed leaf halves what a whole pod sends out at once") {
  // Pods of two nodes, leaves with two downlinks and one uplink a rail: two nodes to the other pod share 50 GB/s a rail.
  HallParameters hall = two_nodes();
  hall.groups = {eight_gpu_nodes("gpu", 4)};
  hall.scale_out->oversubscription = 2;
  hall.scale_out->hosts_per_pod = 2;
  const FlowGrouping grouping = GENERATE(FlowGrouping::bundled, FlowGrouping::per_rail);
  Bench bench(hall, grouping);
  bench.start({{0, 0, 8}, {0, 16, 8}, 40 * GB}, 1);
  bench.start({{0, 8, 8}, {0, 24, 8}, 40 * GB}, 2);
  bench.engine->run();
  CHECK(bench.end_s[1] == Approx(0.2).epsilon(1e-4));
  CHECK(bench.end_s[2] == Approx(0.2).epsilon(1e-4));
}

TEST_CASE("Every kind of scale-out network connects any two nodes") {
  const ScaleOutKind kind = GENERATE(ScaleOutKind::rail_leaf_spine, ScaleOutKind::fat_tree, ScaleOutKind::dragonfly, ScaleOutKind::dragonfly_plus);
  const int nodes = GENERATE(1, 3, 20, 600);
  CAPTURE(static_cast<int>(kind), nodes);
  HallParameters hall;
  hall.groups = {eight_gpu_nodes("gpu", nodes)};
  hall.scale_out = ScaleOutParameters{};
  hall.scale_out->kind = kind;
  Bench bench(hall, FlowGrouping::bundled);
  for (int node = 1; node < nodes; node += 1 + nodes / 7) {
    const DeviceTransfer transfer{{0, 0, 8}, {0, 8 * node, 8}, GB};
    CHECK(bench.paths->undisturbed_seconds(transfer).value() < 1 / 40.0);
  }
}

TEST_CASE("A cancelled transfer is gone and gives back what it took") {
  Bench bench(two_nodes(), FlowGrouping::per_rail);
  bench.start({{0, 0, 4}, {0, 8, 4}, 20 * GB}, 1);
  bench.start({{0, 4, 4}, {0, 8, 4}, 20 * GB}, 2);
  CHECK(bench.fabric->cancel(bench.ids[2]));
  CHECK_FALSE(bench.fabric->cancel(bench.ids[2]));
  bench.engine->run();
  CHECK(bench.end_s.size() == 1);
  CHECK(bench.end_s[1] == Approx(0.1).epsilon(1e-4));
}

TEST_CASE("A hall of 16,384 accelerators in rails is built, bundled and used in a few seconds and 2 GB") {
  const auto start = std::clock();
  HallParameters hall;
  hall.groups = {eight_gpu_nodes("gpu", 2048)};
  hall.scale_out = ScaleOutParameters{};
  Bench bench(hall, FlowGrouping::bundled);
  REQUIRE(bench.hall->groups[0].accelerators.size() == 16'384);
  const double build_s = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
#if defined(NDEBUG) && !defined(__SANITIZE_ADDRESS__)
  CHECK(build_s < 5);
#else
  CHECK(build_s < 50);  // Not optimized, or watched: only the order of growth is checked.
#endif
  // Every 64th node sends to the one half-way round, all at once, 400 GB/s each.
  for (int node = 0; node < 2048; node += 64) {
    const DeviceSet from{0, 8 * node, 8};
    const DeviceSet to{0, 8 * ((node + 1024) % 2048), 8};
    bench.start({from, to, 4 * GB}, static_cast<std::uint64_t>(node));
  }
  bench.engine->run();
  CHECK(bench.end_s.size() == 32);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  CHECK(usage.ru_maxrss < 2 * 1024 * 1024);  // KiB
}
