#include <sys/resource.h>

#include <ctime>
#include <functional>
#include <map>
#include <memory>
#include <set>

#include "sim/engine/make_engine.h"
#include "sim/fabric/fabric.h"
#include "tests/support/catch.h"
#include "topologies/builders/leaf_spine.h"

using namespace rackwright;
using namespace rackwright::fabric;
using namespace rackwright::topologies;

namespace {

constexpr double GB = 1e9;

/// `pods` leaves of `hosts_per_pod` hosts with one NIC each, under two spines, one uplink of a NIC's width to each.
struct TwoSpines {
  TwoSpines(int pods, int hosts_per_pod) {
    TopologyBuilder builder;
    hosts = add_bare_hosts(builder, "h", pods * hosts_per_pod, 1);
    LeafSpineParameters parameters;
    parameters.rails = 1;
    parameters.hosts_per_pod = hosts_per_pod;
    parameters.spines_per_block = 2;
    parameters.uplinks_per_leaf = 2;
    parameters.switch_ports = 0;
    add_leaf_spine(builder, parameters, hosts, "f");
    topology = builder.build();
  }
  VertexIndex nic(int host) const { return hosts[static_cast<std::size_t>(host)].nics[0]; }
  VertexIndex spine(std::span<const LinkIndex> path) const { return topology[path[1]].to; }
  double latency_s(std::span<const LinkIndex> path) const {
    double sum = 0;
    for (const LinkIndex link : path) sum += topology[link].latency_s;
    return sum;
  }
  std::vector<HostPorts> hosts;
  Topology topology;
};

struct Record : TransferHandler {
  explicit Record(engine::Engine& watched) : engine(watched) {}
  void on_transfer_done(TransferId, std::uint64_t token) override { end[token] = engine.now(); }
  void on_transfer_rate(TransferId, std::uint64_t token, double rate) override { rates[token].push_back(rate); }
  engine::Engine& engine;
  std::map<std::uint64_t, SimTime> end;
  std::map<std::uint64_t, std::vector<double>> rates;
};

struct At : engine::EventHandler {
  At(engine::Engine& engine, double seconds, std::function<void()> what) : action(std::move(what)) {
    engine.at(sim_time(seconds), engine::Phase::control, 0, *this, 0);
  }
  void on_event(std::uint64_t) override { action(); }
  std::function<void()> action;
};

/// A key that sends the flow between these hosts over that spine.
std::uint64_t key_over(const TwoSpines& net, int from, int to, VertexIndex spine) {
  Router router(net.topology, {});
  Route route;
  for (std::uint64_t flow = 0;; ++flow)
    if (router.find({net.nic(from), net.nic(to), flow}, route) && net.spine(route.links) == spine) return flow;
}

VertexIndex spine_named(const TwoSpines& net, int n) { return *net.topology.find("f/spine" + std::to_string(n)); }

Approx near_s(double seconds) { return Approx(seconds).epsilon(1e-12).margin(4e-12); }

}  // namespace

TEST_CASE("A lone transfer takes the latency of its path and its bytes over the narrowest link") {
  const TwoSpines net(2, 2);
  const auto engine = engine::make_engine();
  Fabric fabric(*engine, net.topology, {});
  Record record(*engine);
  const TransferId id = fabric.start({net.nic(0), net.nic(2), 5 * GB}, 0, record, 1);
  REQUIRE(fabric.path(id).size() == 4);
  const double latency_s = net.latency_s(fabric.path(id));
  CHECK(latency_s > 1e-6);
  engine->run();
  CHECK(record.end[1].seconds() == near_s(latency_s + 5 * GB / (50 * GB)));
  CHECK(record.rates[1] == std::vector<double>{50 * GB});
}

TEST_CASE("A transfer to oneself is done at once, and one of no bytes after the latency") {
  const TwoSpines net(2, 2);
  const auto engine = engine::make_engine();
  Fabric fabric(*engine, net.topology, {});
  Record record(*engine);
  fabric.start({net.nic(0), net.nic(0), 5 * GB}, 0, record, 1);
  const TransferId id = fabric.start({net.nic(0), net.nic(2), 0}, 0, record, 2);
  const double latency_s = net.latency_s(fabric.path(id));
  engine->run();
  CHECK(record.end[1] == SimTime{});
  CHECK(record.end[2] == sim_time(latency_s));
}

TEST_CASE("An incast of n senders gives each an nth of the receiver's link") {
  // Three senders of the receiver's own pod, 50 / 3 GB/s each.
  const TwoSpines net(1, 4);
  const auto engine = engine::make_engine();
  Fabric fabric(*engine, net.topology, {});
  Record record(*engine);
  double latency_s = 0;
  for (int sender = 1; sender < 4; ++sender) {
    const TransferId id = fabric.start({net.nic(sender), net.nic(0), 5 * GB}, 0, record, sender);
    latency_s = net.latency_s(fabric.path(id));
  }
  engine->run();
  for (int sender = 1; sender < 4; ++sender) CHECK(record.end[sender].seconds() == near_s(latency_s + 0.3));
}

TEST_CASE("Equal-cost paths are chosen by the hash of the flow: equal flows alike, many flows over both spines") {
  const TwoSpines net(2, 2);
  const auto engine = engine::make_engine();
  Fabric fabric(*engine, net.topology, {});
  Record record(*engine);
  std::map<std::uint32_t, int> flows_over;
  for (std::uint64_t flow = 0; flow < 1000; ++flow) {
    const TransferId id = fabric.start({net.nic(0), net.nic(2), GB, 0, flow}, 0, record, flow);
    const TransferId twin = fabric.start({net.nic(0), net.nic(2), GB, 0, flow}, 0, record, flow);
    ++flows_over[net.spine(fabric.path(id)).value];
    CHECK(net.spine(fabric.path(id)) == net.spine(fabric.path(twin)));
  }
  REQUIRE(flows_over.size() == 2);
  // A fair coin tossed 1000 times: 500 +- 16 (one standard deviation); five of them.
  for (const auto& [spine, count] : flows_over) CHECK(std::abs(count - 500) < 80);
}

TEST_CASE("When the hash puts three flows on one spine and one on the other, the shares are thirds and one") {
  // Asymmetric ECMP: the uplink to spine 0 carries three transfers of different NICs at 50 / 3 GB/s, that to
  // spine 1 one at 50 GB/s. After it ends nothing changes for the three: their uplink is what holds them.
  const TwoSpines net(2, 4);
  const auto engine = engine::make_engine();
  Fabric fabric(*engine, net.topology, {});
  Record record(*engine);
  double latency_s = 0;
  for (int host = 0; host < 4; ++host) {
    const std::uint64_t flow = key_over(net, host, 4 + host, spine_named(net, host == 3));
    const TransferId id = fabric.start({net.nic(host), net.nic(4 + host), 5 * GB, 0, flow}, 0, record, host);
    latency_s = net.latency_s(fabric.path(id));
  }
  engine->run();
  for (int host = 0; host < 3; ++host) {
    CHECK(record.end[host].seconds() == near_s(latency_s + 0.3));
    CHECK(record.rates[host].size() == 1);
  }
  CHECK(record.end[3].seconds() == near_s(latency_s + 0.1));
}

TEST_CASE("Choice by load keeps two flows of one leaf apart") {
  const TwoSpines net(2, 2);
  const auto engine = engine::make_engine();
  FabricParameters parameters;
  parameters.routing.choice = PathChoice::least_loaded;
  Fabric fabric(*engine, net.topology, parameters);
  Record record(*engine);
  for (std::uint64_t flow = 0; flow < 20; ++flow) {
    const TransferId first = fabric.start({net.nic(0), net.nic(2), GB, 0, flow}, 0, record, 0);
    const TransferId second = fabric.start({net.nic(1), net.nic(3), GB, 0, flow}, 0, record, 1);
    CHECK(net.spine(fabric.path(first)) != net.spine(fabric.path(second)));
    CHECK(fabric.cancel(first));
    CHECK(fabric.cancel(second));
    CHECK_FALSE(fabric.cancel(second));
  }
}

TEST_CASE("When a spine fails, its transfer goes on over the other with what it has left") {
  // Two transfers of 50 GB, one a spine, 50 GB/s each. At latency + 0.5 s spine 1 dies; the other's links are shared
  // from then on (without a delay): 25 GB left each at 25 GB/s: both end at latency + 1.5 s.
  // With 0.1 s until the failure is known: transfer 0 keeps 50 GB/s for 0.1 s (20 GB left), then 25 GB/s each:
  // it ends after 0.8 s more, at 1.4 s; transfer 1 has 5 GB left then, alone: 0.1 s more, 1.5 s.
  const double delay_s = GENERATE(0.0, 0.1);
  CAPTURE(delay_s);
  const TwoSpines net(2, 2);
  const auto engine = engine::make_engine();
  FabricParameters parameters;
  parameters.reroute_delay = sim_time(delay_s);
  Fabric fabric(*engine, net.topology, parameters);
  Record record(*engine);
  TransferId ids[2];
  double latency_s = 0;
  for (int n : {0, 1}) {
    const std::uint64_t flow = key_over(net, n, 2 + n, spine_named(net, n));
    ids[n] = fabric.start({net.nic(n), net.nic(2 + n), 50 * GB, 0, flow}, 0, record, n);
    latency_s = net.latency_s(fabric.path(ids[n]));
  }
  const LinkIndex old_uplink = fabric.path(ids[1])[1];
  const At failure(*engine, latency_s + 0.5, [&] { fabric.fail(spine_named(net, 1)); });
  const At later(*engine, latency_s + 0.75, [&] {
    CHECK(net.spine(fabric.path(ids[1])) == spine_named(net, 0));
    CHECK(fabric.rate(ids[1]) == Approx(25 * GB));
  });
  engine->run();
  CHECK(record.end[0].seconds() == near_s(latency_s + (delay_s > 0 ? 1.4 : 1.5)));
  CHECK(record.end[1].seconds() == near_s(latency_s + 1.5));
  // Bytes are conserved over both paths: 25 GB over the old uplink, all 50 GB into the receiver.
  CHECK(fabric.carried_bytes(old_uplink) == Approx(25 * GB));
  const LinkIndex into_receiver = reverse(net.topology.out_links(net.nic(3))[0]);
  CHECK(fabric.carried_bytes(into_receiver) == Approx(50 * GB));
}

TEST_CASE("A transfer without a path waits until something comes back") {
  // 50 GB at 50 GB/s, cut off from 0.2 s to 2.2 s: it ends 2 s later than it would. One that starts meanwhile waits too.
  const TwoSpines net(2, 2);
  const auto engine = engine::make_engine();
  Fabric fabric(*engine, net.topology, {});
  Record record(*engine);
  const TransferId id = fabric.start({net.nic(0), net.nic(2), 50 * GB}, 0, record, 0);
  const double latency_s = net.latency_s(fabric.path(id));
  const At both_fail(*engine, latency_s + 0.2, [&] {
    fabric.fail(spine_named(net, 0));
    fabric.fail(spine_named(net, 1));
  });
  const At meanwhile(*engine, latency_s + 1, [&] {
    CHECK(fabric.path(id).empty());
    CHECK(fabric.bytes_left(id) == Approx(40 * GB));
    fabric.start({net.nic(1), net.nic(3), 0}, 0, record, 1);
  });
  const At one_returns(*engine, latency_s + 2.2, [&] { fabric.restore(spine_named(net, 1)); });
  engine->run();
  CHECK(record.end[0].seconds() == near_s(latency_s + 3));
  CHECK(record.rates[0] == std::vector<double>{50 * GB, 0, 50 * GB});
  CHECK(record.end[1].seconds() == near_s(latency_s + 2.2 + latency_s));
}

TEST_CASE("A path that fails before the first byte has left is given up for another") {
  const TwoSpines net(2, 2);
  const auto engine = engine::make_engine();
  Fabric fabric(*engine, net.topology, {});
  Record record(*engine);
  const TransferId id = fabric.start({net.nic(0), net.nic(2), 5 * GB}, 0, record, 0);
  const VertexIndex spine = net.spine(fabric.path(id));
  const double latency_s = net.latency_s(fabric.path(id));
  const At failure(*engine, latency_s / 2, [&] { fabric.fail(spine); });
  engine->run();
  CHECK(record.end[0].seconds() == near_s(latency_s + 0.1));
  CHECK(fabric.carried_bytes(reverse(net.topology.out_links(net.nic(2))[0])) == 5 * GB);
}

TEST_CASE("A fabric of 16,384 endpoints under two spines is built, used and re-routed in 2 GB and a few seconds") {
  const auto start = std::clock();
  const TwoSpines net(512, 32);
  REQUIRE(endpoints(net.topology).size() == 16'384);
  const auto engine = engine::make_engine();
  Fabric fabric(*engine, net.topology, {});
  const double build_s = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
#if defined(NDEBUG) && !defined(__SANITIZE_ADDRESS__)
  CHECK(build_s < 5);
#else
  CHECK(build_s < 50);  // Not optimized, or watched: only the order of growth is checked.
#endif

  // A permutation: host h sends to the host half-way round, so that every transfer crosses a spine.
  Record record(*engine);
  std::vector<TransferId> ids;
  for (int h = 0; h < 16'384; h += 64)
    ids.push_back(fabric.start({net.nic(h), net.nic((h + 8'192) % 16'384), GB, 0, static_cast<std::uint64_t>(h)}, 0, record, h));
  std::set<std::uint32_t> spines;
  for (const TransferId id : ids) spines.insert(net.spine(fabric.path(id)).value);
  CHECK(spines.size() == 2);
  const At failure(*engine, 0.01, [&] { fabric.fail(spine_named(net, 1)); });
  const At after(*engine, 0.011, [&] {
    for (const TransferId id : ids) CHECK(net.spine(fabric.path(id)) == spine_named(net, 0));
  });
  engine->run();
  CHECK(record.end.size() == ids.size());

  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  CHECK(usage.ru_maxrss < 2 * 1024 * 1024);  // KiB
}
