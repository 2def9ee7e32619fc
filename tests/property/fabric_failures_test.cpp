#include <cmath>
#include <functional>
#include <memory>
#include <vector>

#include "models/base/random.h"
#include "sim/engine/make_engine.h"
#include "sim/fabric/fabric.h"
#include "tests/support/catch.h"
#include "tests/support/oracle_engine.h"
#include "topologies/builders/leaf_spine.h"

using namespace rackwright;
using namespace rackwright::fabric;
using namespace rackwright::topologies;

namespace {

struct Net {
  Net() {
    TopologyBuilder builder;
    hosts = add_bare_hosts(builder, "h", 12, 2);
    LeafSpineParameters parameters;
    parameters.rails = 2;
    parameters.hosts_per_pod = 4;
    parameters.spines_per_block = 3;
    parameters.uplinks_per_leaf = 3;
    parameters.switch_ports = 0;
    add_leaf_spine(builder, parameters, hosts, "f");
    topology = builder.build();
  }
  VertexIndex nic(std::size_t n) const { return hosts[n / 2].nics[n % 2]; }
  std::vector<HostPorts> hosts;
  Topology topology;
};

/// Starts transfers, fails cables and repairs each of them, all at random times that do not depend on the engine.
class Storm : private engine::EventHandler, private TransferHandler {
 public:
  struct Result {
    SimTime end = SimTime::max();
    bool is_cancelled = false;
  };

  Storm(std::uint64_t seed, engine::Engine& engine, const Net& net)
      : engine_(engine), net_(net), fabric_(engine, net.topology, parameters(seed)) {
    RandomStream random(seed, "fabric", "storm");
    for (std::uint64_t t = 0; t < 60; ++t) {
      const std::size_t from = random() % 24;
      const VertexIndex to = net.nic((from + 2 * (1 + random() % 11)) % 24);
      const TransferRequest request{net.nic(from), to, 1e6 + static_cast<double>(random() % 5'000'000'000), 0, random()};
      results_.emplace_back();
      ids_.emplace_back();
      requests_.push_back(request);
      const double at_s = random.uniform();
      at(at_s, [this, t] { ids_[t] = fabric_.start(requests_[t], 0, *this, t); });
      if (random() % 10 == 0) at(at_s + random.uniform() * 0.1, [this, t] {
        results_[t].is_cancelled = fabric_.cancel(ids_[t]);
      });
    }
    for (int n = 0; n < 30; ++n) {
      const LinkIndex cable{static_cast<std::uint32_t>(random() % net.topology.links().size())};
      const double at_s = random.uniform();
      at(at_s, [this, cable] { fabric_.fail(cable); });
      at(at_s + random.uniform(), [this, cable] { fabric_.restore(cable); });
    }
    engine_.run();
  }

  const std::vector<Result>& results() const { return results_; }
  const std::vector<TransferRequest>& requests() const { return requests_; }
  double carried(LinkIndex link) const { return fabric_.carried_bytes(link); }

 private:
  static FabricParameters parameters(std::uint64_t seed) {
    FabricParameters parameters;
    if (seed % 2 == 0) parameters.reroute_delay = sim_time(0.01);
    if (seed % 3 == 0) parameters.routing.choice = PathChoice::least_loaded;
    return parameters;
  }
  void at(double seconds, std::function<void()> action) {
    actions_.push_back(std::move(action));
    engine_.at(sim_time(seconds), engine::Phase::control, 0, *this, actions_.size() - 1);
  }
  void on_event(std::uint64_t token) override { actions_[token](); }
  void on_transfer_done(TransferId, std::uint64_t token) override { results_[token].end = engine_.now(); }

  engine::Engine& engine_;
  const Net& net_;
  Fabric fabric_;
  std::vector<std::function<void()>> actions_;
  std::vector<TransferId> ids_;
  std::vector<TransferRequest> requests_;
  std::vector<Result> results_;
};

}  // namespace

TEST_CASE("Under failures and repairs every transfer ends or was cancelled, and its bytes are conserved") {
  // Every cable is repaired in the end, so nothing waits for ever. What left a sender reached its receiver: over all
  // links, bytes into NICs equal bytes out of them, and are the bytes of the transfers but for what was cancelled.
  const std::uint64_t seed = GENERATE(range(1, 41));
  CAPTURE(seed);
  const Net net;
  const auto engine = engine::make_engine();
  const Storm storm(seed, *engine, net);
  double asked = 0, asked_and_cancelled = 0;
  for (std::size_t t = 0; t < storm.results().size(); ++t) {
    CAPTURE(t);
    CHECK((storm.results()[t].end != SimTime::max()) != storm.results()[t].is_cancelled);
    asked += storm.requests()[t].bytes;
    if (storm.results()[t].is_cancelled) asked_and_cancelled += storm.requests()[t].bytes;
  }
  double out = 0, in = 0;
  for (std::size_t n = 0; n < 24; ++n)
    for (const LinkIndex link : net.topology.out_links(net.nic(n))) {
      out += storm.carried(link);
      in += storm.carried(reverse(link));
    }
  CHECK(out == Approx(in).epsilon(1e-9));
  CHECK(in >= (asked - asked_and_cancelled) * (1 - 1e-9));
  CHECK(in <= asked * (1 + 1e-9));
}

TEST_CASE("Under failures and repairs SimGrid and the oracle end every transfer at the same time") {
  // Choice by load sees equal loads at equal times. Each re-routing rounds once: 2 ps for each of 60 changes.
  const std::uint64_t seed = GENERATE(range(1, 41));
  CAPTURE(seed);
  const Net net;
  const auto engine = engine::make_engine();
  tests::OracleEngine oracle;
  const Storm seen(seed, *engine, net);
  const Storm expected(seed, oracle, net);
  for (std::size_t t = 0; t < seen.results().size(); ++t) {
    CAPTURE(t);
    CHECK(seen.results()[t].is_cancelled == expected.results()[t].is_cancelled);
    CHECK((seen.results()[t].end == SimTime::max()) == (expected.results()[t].end == SimTime::max()));
    CHECK(std::abs(seen.results()[t].end.ps - expected.results()[t].end.ps) <= 120);
  }
}
