/// Processor time of the engine, medians of several repeats: events of the calendar, and transfers of a closed loop
/// (each end starts the next) over rail-optimized fabrics, routing included, by SimGrid and by the oracle. The first
/// use of links and routes is left out. Run by hand: other work on the machine still slows it through the caches.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <ctime>
#include <functional>
#include <memory>
#include <vector>

#include "models/base/random.h"
#include "sim/engine/make_engine.h"
#include "sim/fabric/fabric.h"
#include "tests/support/oracle_engine.h"
#include "topologies/builders/leaf_spine.h"

using namespace rackwright;
using namespace rackwright::topologies;

namespace {

constexpr int repeats = 5;
constexpr int most_flows_of_the_oracle = 400;  // Its cost grows with their square.

double cpu_seconds_of(const std::function<void()>& work) {
  const std::clock_t start = std::clock();
  work();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

/// `events` events in all of `entities` entities, each of which plans its next when it runs.
class Tickers : public engine::EventHandler {
 public:
  Tickers(engine::Engine& engine, std::uint32_t entities, int events) : engine_(engine), events_left_(events) {
    for (std::uint32_t entity = 0; entity < entities; ++entity) engine_.at({}, engine::Phase::step, entity, *this, entity);
  }
  void on_event(std::uint64_t entity) override {
    if (--events_left_ == 0) return engine_.stop();
    const SimTime next{1'000 + static_cast<std::int64_t>(random_() % 1'000)};
    engine_.at(engine_.now() + next, engine::Phase::step, static_cast<std::uint32_t>(entity), *this, entity);
  }

 private:
  engine::Engine& engine_;
  RandomStream random_{1, "bench", "ticks"};
  int events_left_;
};

struct Hosts {
  explicit Hosts(int count) {
    TopologyBuilder builder;
    ports = add_bare_hosts(builder, "h", count, 8);
    LeafSpineParameters parameters;  // Rail-optimized: NIC n of every host of a pod on the pod's leaf of rail n.
    parameters.switch_ports = 0;
    add_leaf_spine(builder, parameters, ports, "f");
    topology = builder.build();
  }
  std::vector<HostPorts> ports;
  Topology topology;
};

/// `in_flight` transfers of 1 to 100 MB between random hosts on a random rail: all of them, or a few, as where many wait for
/// KV to come to some instances.
class ClosedLoop : public fabric::TransferHandler {
 public:
  /// `busy`: between the first so many hosts.
  ClosedLoop(engine::Engine& engine, const Hosts& hosts, int in_flight, std::size_t busy)
      : engine_(engine), hosts_(hosts), busy_(busy), fabric_(engine, hosts.topology, {}) {
    for (int i = 0; i < in_flight; ++i) start();
  }
  void run(int transfers) {
    left_ = transfers;
    engine_.run();
  }
  void on_transfer_done(fabric::TransferId, std::uint64_t) override {
    start();
    if (--left_ == 0) engine_.stop();
  }

 private:
  engine::RateReports reports() const { return busy_ < hosts_.ports.size() ? engine::RateReports::none : engine::RateReports::all; }

  void start() {
    const std::size_t count = busy_;
    const std::size_t from = random_() % count;
    const std::size_t to = (from + 1 + random_() % (count - 1)) % count;
    const std::size_t rail = random_() % 8;
    const double bytes = 1e6 + static_cast<double>(random_() % 99'000'000);
    fabric_.start({hosts_.ports[from].nics[rail], hosts_.ports[to].nics[rail], bytes, 0, random_(), 0, {}, reports()}, 0, *this, 0);
  }

  engine::Engine& engine_;
  const Hosts& hosts_;
  const std::size_t busy_;
  fabric::Fabric fabric_;
  RandomStream random_{1, "bench", "transfers"};
  int left_ = 0;
};

struct Case {
  int hosts = 0;
  int in_flight = 0;
  int warm_up = 0;
  int transfers = 0;  ///< In each repeat.
  int busy = 0;       ///< Hosts that send and receive; 0: all.
};

double median_us_per_transfer(engine::Engine& engine, const Hosts& hosts, const Case& c, int warm_up, int transfers) {
  ClosedLoop loop(engine, hosts, c.in_flight, c.busy == 0 ? hosts.ports.size() : static_cast<std::size_t>(c.busy));
  loop.run(warm_up);
  std::vector<double> times;
  for (int i = 0; i < repeats; ++i) times.push_back(cpu_seconds_of([&] { loop.run(transfers); }) / transfers * 1e6);
  return median(times);
}

void bench_calendar() {
  constexpr int events = 1'000'000;
  for (const std::uint32_t entities : {10u, 1'000u, 100'000u}) {
    std::vector<double> times;
    for (int i = 0; i < repeats; ++i) {
      const auto engine = engine::make_engine();
      Tickers tickers(*engine, entities, events);
      times.push_back(cpu_seconds_of([&] { engine->run(); }) / events * 1e9);
    }
    fmt::print("calendar, {:>6} events waiting          {:8.0f} ns an event\n", entities, median(times));
  }
}

void bench_transfers() {
  for (const Case& c : {Case{2, 2, 100, 20'000}, {16, 16, 1'000, 20'000}, {64, 64, 4'000, 10'000},
                        {1'000, 20, 40'000, 10'000}, {1'000, 100, 40'000, 10'000}, {1'000, 400, 40'000, 5'000},
                        {1'000, 4'000, 5'000, 200}, {1'000, 4'000, 5'000, 1'000, 8}, {1'000, 18'000, 20'000, 1'000, 8}}) {
    const Hosts hosts(c.hosts);
    const auto engine = engine::make_engine();
    const double simgrid_us = median_us_per_transfer(*engine, hosts, c, c.warm_up, c.transfers);
    fmt::print("transfers, {:>5} hosts, {:>5} in flight{}{:8.1f} us each by SimGrid", c.hosts, c.in_flight,
               c.busy == 0 ? "   " : fmt::format(" between {:>2} of them", c.busy), simgrid_us);
    if (c.in_flight <= most_flows_of_the_oracle) {
      tests::OracleEngine oracle;
      const double oracle_us = median_us_per_transfer(oracle, hosts, c, c.in_flight, std::max(c.transfers / 100, 20));
      fmt::print(", {:6.0f} us by the oracle: 1 to {:.0f}", oracle_us, oracle_us / simgrid_us);
    }
    fmt::print("\n");
  }
}

void bench_build() {
  const double build_s = cpu_seconds_of([] {
    const Hosts hosts(2'048);
    const auto engine = engine::make_engine();
    fabric::Fabric(*engine, hosts.topology, {});
  });
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print("fabric of 16,384 endpoints built          {:8.2f} s; the whole bench took {} MB at most\n", build_s,
             usage.ru_maxrss / 1024);
}

}  // namespace

int main() {
  bench_calendar();
  bench_transfers();
  bench_build();
}
