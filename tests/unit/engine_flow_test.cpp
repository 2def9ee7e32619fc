#include <memory>

#include "models/base/invariant.h"
#include "sim/engine/make_engine.h"
#include "tests/support/catch.h"
#include "tests/support/engine_script.h"
#include "tests/support/oracle_engine.h"

using namespace rackwright;
using namespace rackwright::engine;
using rackwright::tests::EngineScript;

namespace {

constexpr double GB = 1e9;

/// Every law below holds for both, so that the oracle is as true as what it is compared with.
std::unique_ptr<Engine> either_engine() {
  if (GENERATE(true, false)) return make_engine();
  return std::make_unique<tests::OracleEngine>();
}

/// Ends are whole picoseconds, rounded up, after at most a few roundings of a double.
Approx near_s(double seconds) { return Approx(seconds).epsilon(1e-12).margin(2e-12); }

}  // namespace

TEST_CASE("A lone flow takes bytes over bandwidth") {
  const auto engine = either_engine();
  EngineScript script(*engine);
  const LinkId link = engine->add_link(50 * GB);
  script.start("a", {link}, 10 * GB);
  engine->run();
  CHECK(script.flow("a").end == SimTime{200'000'000'000});  // 10 GB / 50 GB/s, exactly.
  CHECK(script.last_rate("a") == 50 * GB);
  CHECK(engine->now() == SimTime{200'000'000'000});
}

TEST_CASE("Two flows on one link get equal shares whatever their latencies") {
  // Latency is a delay before the flow: a starts after 1 us, b after 2 us. From then on each has B / 2.
  // a alone for 1 us has moved 10 kB; then both move at 5 GB/s. a: 10 kB + 5e9 (t - 2 us) = 5 GB;
  // b: 5e9 (t - 2 us) = 5 GB while a lives. a ends at 2 us + (5e9 - 1e4) / 5e9 s; b has 10 kB left, alone: 1 us.
  const auto engine = either_engine();
  EngineScript script(*engine);
  const LinkId link = engine->add_link(10 * GB);
  script.at(1e-6, [&] { script.start("a", {link}, 5 * GB); });
  script.at(2e-6, [&] { script.start("b", {link}, 5 * GB); });
  script.at(0.5, [&] {
    CHECK(engine->flow_rate(script.flow("a").id) == 5 * GB);
    CHECK(engine->flow_rate(script.flow("b").id) == 5 * GB);
  });
  engine->run();
  CHECK(script.end_s("a") == near_s(2e-6 + (5e9 - 1e4) / 5e9));
  CHECK(script.end_s("b") == near_s(1e-6 + 1.0));
}

TEST_CASE("A flow through a parking lot of n shared links gets half of each, as its neighbours do") {
  // Links 1..4 of 12 GB/s in a chain. The long flow uses all of them, one short flow each. Max-min: 6 GB/s all.
  // With a second short flow on link 2: that link gives 4 GB/s to its three flows; the others rise to 8 GB/s.
  const auto engine = either_engine();
  EngineScript script(*engine);
  std::vector<LinkId> chain;
  for (int i = 0; i < 4; ++i) chain.push_back(engine->add_link(12 * GB));
  script.start("long", chain, 100 * GB);
  for (int i = 0; i < 4; ++i) script.start("short" + std::to_string(i), {chain[i]}, 100 * GB);
  script.at(0.5, [&] {
    CHECK(engine->flow_rate(script.flow("long").id) == Approx(6 * GB));
    for (int i = 0; i < 4; ++i) CHECK(engine->flow_rate(script.flow("short" + std::to_string(i)).id) == Approx(6 * GB));
    script.start("second", {chain[1]}, 100 * GB);
  });
  script.at(1.0, [&] {
    CHECK(engine->flow_rate(script.flow("long").id) == Approx(4 * GB));
    CHECK(engine->flow_rate(script.flow("short1").id) == Approx(4 * GB));
    CHECK(engine->flow_rate(script.flow("second").id) == Approx(4 * GB));
    CHECK(engine->flow_rate(script.flow("short0").id) == Approx(8 * GB));
    engine->stop();
  });
  engine->run();
  CHECK(engine->now() == sim_time(1.0));
}

TEST_CASE("Widening one link can lower the total: max-min sharing is not monotone") {
  // Flow 1 over A, B, C; flow 2 over B; flow 3 over C; B = C = 10 GB/s.
  // A = 2: flow 1 has 2, flows 2 and 3 have 8 each: 18. A = 10: flow 1 takes half of B and C: 5 + 5 + 5 = 15.
  const auto engine = either_engine();
  EngineScript script(*engine);
  const LinkId a = engine->add_link(2 * GB), b = engine->add_link(10 * GB), c = engine->add_link(10 * GB);
  script.start("1", {a, b, c}, 1000 * GB);
  script.start("2", {b}, 1000 * GB);
  script.start("3", {c}, 1000 * GB);
  const auto total = [&] {
    double sum = 0;
    for (const char* name : {"1", "2", "3"}) sum += engine->flow_rate(script.flow(name).id);
    return sum;
  };
  script.at(1, [&] {
    CHECK(total() == Approx(18 * GB));
    engine->set_bandwidth(a, 10 * GB);
  });
  script.at(2, [&] {
    CHECK(total() == Approx(15 * GB));
    engine->stop();
  });
  engine->run();
}

TEST_CASE("No hidden cap holds a flow back at 900 GB/s and 5 us") {
  // A TCP window of 4 MiB over a round trip of 10 us would cap it at 419 GB/s.
  // 5 us + 9 GB / 900 GB/s = 10.005 ms.
  const auto engine = either_engine();
  EngineScript script(*engine);
  const LinkId up = engine->add_link(900 * GB), down = engine->add_link(900 * GB);
  script.at(5e-6, [&] { script.start("a", {up, down}, 9 * GB); });
  engine->run();
  CHECK(script.last_rate("a") == 900 * GB);
  CHECK(script.end_s("a") == near_s(0.010005));
}

TEST_CASE("A cap holds a flow back and leaves the rest of the link to the others") {
  // 10 GB/s shared by a capped at 2 and b: 2 and 8. a moves 2 GB, b 8 GB in the same second.
  const auto engine = either_engine();
  EngineScript script(*engine);
  const LinkId link = engine->add_link(10 * GB);
  script.start("a", {link}, 2 * GB, 2 * GB);
  script.start("b", {link}, 8 * GB);
  script.start("wide", {engine->add_link(1 * GB)}, 1 * GB, 5 * GB);  // A cap above the link changes nothing.
  engine->run();
  for (const char* name : {"a", "b", "wide"}) CHECK(script.end_s(name) == near_s(1.0));
}

TEST_CASE("A flow over no link moves at its cap, or at once") {
  const auto engine = either_engine();
  EngineScript script(*engine);
  script.at(1, [&] {
    script.start("capped", {}, 3 * GB, 2 * GB);
    script.start("free", {}, 3 * GB);
    script.start("empty", {engine->add_link(GB)}, 0);
  });
  engine->run();
  CHECK(script.end_s("capped") == near_s(2.5));
  CHECK(script.flow("free").end == sim_time(1));
  CHECK(script.flow("empty").end == sim_time(1));
  CHECK(script.flow("free").rates.empty());
  CHECK(script.last_rate("capped") == 2 * GB);
}

TEST_CASE("A cancelled flow gives its share back and never ends") {
  // Two of 10 GB at 5 GB/s each; b goes at 1 s. a has 5 GB left at 10 GB/s: 1.5 s.
  const auto engine = either_engine();
  EngineScript script(*engine);
  const LinkId link = engine->add_link(10 * GB);
  script.start("a", {link}, 10 * GB);
  script.start("b", {link}, 10 * GB);
  script.at(1, [&] {
    CHECK(engine->flow_bytes_left(script.flow("b").id) == Approx(5 * GB));
    CHECK(script.cancel("b"));
    CHECK_FALSE(script.cancel("b"));
    CHECK(engine->flow_bytes_left(script.flow("b").id) == 0);
    CHECK(engine->flow_rate(script.flow("b").id) == 0);
  });
  engine->run();
  CHECK(script.end_s("a") == near_s(1.5));
  CHECK(script.ends() == std::vector<std::string>{"a"});
  CHECK_FALSE(script.cancel("a"));
}

TEST_CASE("A flow cancelled at the instant it was started leaves no trace") {
  const auto engine = either_engine();
  EngineScript script(*engine);
  const LinkId link = engine->add_link(10 * GB);
  script.start("a", {link}, 10 * GB);
  script.at(0.5, [&] {
    script.start("b", {link}, 10 * GB);
    CHECK(script.cancel("b"));
    script.start("c", {}, 10 * GB, 1 * GB);
    CHECK(script.cancel("c"));
  });
  engine->run();
  CHECK(script.flow("a").end == SimTime{1'000'000'000'000});
  CHECK(script.flow("a").rates.size() == 1);
  CHECK(script.flow("b").rates.empty());
}

TEST_CASE("A change of bandwidth is shared at once, above the bandwidth at the start too") {
  // 10 GB/s for 1 s, 40 GB/s for 1 s, 5 GB/s for the rest of 60 GB: 10 + 40 + 10, so 2 s more.
  const auto engine = either_engine();
  EngineScript script(*engine);
  const LinkId link = engine->add_link(10 * GB);
  script.start("a", {link}, 60 * GB);
  script.at(1, [&] { engine->set_bandwidth(link, 40 * GB); });
  script.at(2, [&] { engine->set_bandwidth(link, 5 * GB); });
  engine->run();
  CHECK(script.end_s("a") == near_s(4.0));
  REQUIRE(script.flow("a").rates.size() == 3);
  CHECK(script.flow("a").rates[1].bytes_per_second == 40 * GB);
}

TEST_CASE("Flows over a link that is down stand still and go on when it is back") {
  // a: 10 GB/s for 1 s, nothing for 2 s, then the last 10 GB in 1 s. b starts while the link is down.
  // From 3 s on they share: a needs 2 s at 5 GB/s; b has 5 GB left then, alone at 10 GB/s: 0.5 s.
  const auto engine = either_engine();
  EngineScript script(*engine);
  const LinkId link = engine->add_link(10 * GB), other = engine->add_link(10 * GB);
  script.start("a", {link, other}, 20 * GB);
  script.at(1, [&] { engine->set_bandwidth(link, 0); });
  script.at(2, [&] {
    script.start("b", {link}, 15 * GB);
    CHECK(engine->flow_rate(script.flow("a").id) == 0);
    CHECK(engine->flow_bytes_left(script.flow("a").id) == Approx(10 * GB));
  });
  script.at(3, [&] { engine->set_bandwidth(link, 10 * GB); });
  engine->run();
  CHECK(script.end_s("a") == near_s(5.0));
  CHECK(script.end_s("b") == near_s(5.5));
}

TEST_CASE("A run ends with flows left when nothing can move them") {
  const auto engine = either_engine();
  EngineScript script(*engine);
  const LinkId link = engine->add_link(0);
  script.start("a", {link}, 1 * GB);
  engine->run();
  CHECK(script.ends().empty());
  CHECK(script.last_rate("a") == 0);
  CHECK(engine->flow_bytes_left(script.flow("a").id) == 1 * GB);
  CHECK(engine->now() == SimTime{0});
}

TEST_CASE("Starts, ends and changes at one instant are one change of rates") {
  // b, c and the wider link come at the same instant: a hears of one new rate, 20 / 3 -> 30 / 3.
  const auto engine = either_engine();
  EngineScript script(*engine);
  const LinkId link = engine->add_link(20 * GB);
  script.start("a", {link}, 100 * GB);
  script.at(1, [&] {
    script.start("b", {link}, 100 * GB);
    script.start("c", {link}, 100 * GB);
    engine->set_bandwidth(link, 30 * GB);
  });
  script.at(2, [&] { engine->stop(); });
  engine->run();
  REQUIRE(script.flow("a").rates.size() == 2);
  CHECK(script.flow("a").rates[1].since == sim_time(1));
  CHECK(script.flow("a").rates[1].bytes_per_second == Approx(10 * GB));
}

TEST_CASE("A hand-over at one instant changes no one else's rate") {
  // b's bytes are there when c starts in its place: a keeps half of the link and hears nothing.
  const auto engine = either_engine();
  EngineScript script(*engine);
  const LinkId link = engine->add_link(10 * GB);
  script.start("a", {link}, 10 * GB);
  script.start("b", {link}, 5 * GB);
  script.when_done("b", [&] { script.start("c", {link}, 5 * GB); });
  engine->run();
  CHECK(script.flow("a").rates.size() == 1);
  CHECK(script.flow("a").end == sim_time(2));
  CHECK(script.flow("c").end == sim_time(2));
}

TEST_CASE("Flows that end together end by entity, then in the order of their starts") {
  const auto engine = either_engine();
  EngineScript script(*engine);
  const LinkId first = engine->add_link(10 * GB), second = engine->add_link(20 * GB);
  script.start("late entity", {first}, 10 * GB, 0, 7);
  script.start("a", {second}, 10 * GB, 0, 3);
  script.start("b", {second}, 10 * GB, 0, 3);
  script.when_done("a", [&] { CHECK(script.flow("late entity").end == SimTime::max()); });
  engine->run();
  CHECK(script.ends() == std::vector<std::string>{"a", "b", "late entity"});
}

TEST_CASE("An end of a flow comes before every other event of its instant") {
  const auto engine = either_engine();
  EngineScript script(*engine);
  const LinkId link = engine->add_link(10 * GB);
  script.at(1, [&] { CHECK(script.flow("a").end == sim_time(1)); });
  script.start("a", {link}, 10 * GB);
  engine->run();
}

TEST_CASE("Whoever looks on changes no bit") {
  // Nine flows whose thirds and sevenths do not end in a binary number; the second run is asked about every
  // flow at 10^4 instants that no flow cares about.
  std::vector<std::vector<SimTime>> ends(2);
  for (const int looks : {0, 10'000}) {
    const auto engine = make_engine();
    EngineScript script(*engine);
    const LinkId thin = engine->add_link(7e9 / 3), wide = engine->add_link(11e9 / 7);
    double sum = 0;
    for (int i = 0; i < 9; ++i) {
      const std::string name = std::to_string(i);
      script.at(0.1 * i / 7, [&, i, name] {
        script.start(name, i % 3 == 0 ? std::vector{thin} : i % 3 == 1 ? std::vector{wide} : std::vector{thin, wide},
                     1e9 / (3 + i));
      });
    }
    for (int k = 0; k < looks; ++k)
      script.at(k * 3.7e-4, [&] {
        for (const auto& [name, flow] : script.flows()) sum += engine->flow_bytes_left(flow.id) + engine->flow_rate(flow.id);
      });
    engine->run();
    for (const auto& [name, flow] : script.flows()) ends[looks > 0].push_back(flow.end);
  }
  CHECK(ends[0] == ends[1]);
}

TEST_CASE("Engines in one process, one after the other and side by side, do not see each other") {
  const auto run = [](Engine& engine) {
    EngineScript script(engine);
    const LinkId link = engine.add_link(10e9 / 3);
    for (int i = 0; i < 5; ++i) script.start(std::to_string(i), {link}, 1e9 / (7 + i));
    engine.run();
    return script.flow("0").end;
  };
  const auto first = make_engine();
  EngineScript idle(*first);
  idle.start("held", {first->add_link(1)}, 1e15);
  idle.at(1, [&] { first->stop(); });
  first->run();
  const auto second = make_engine();
  const SimTime end = run(*second);
  const auto third = make_engine();
  CHECK(run(*third) == end);
  CHECK(first->now() == sim_time(1));
}

TEST_CASE("A request that cannot be meant is a bug of ours") {
  const auto engine = make_engine();
  EngineScript script(*engine);
  const LinkId link = engine->add_link(10 * GB);
  CHECK_THROWS_AS(script.start("backwards", {link}, -1), InvariantViolation);
  CHECK_THROWS_AS(script.start("nowhere", {LinkId{99}}, 1), InvariantViolation);
  CHECK_THROWS_AS(script.start("twice", {link, link}, 1), InvariantViolation);
  CHECK_THROWS_AS(engine->set_bandwidth(link, -1), InvariantViolation);
  script.at(1, [&] { CHECK_THROWS_AS(script.at(0.5, [] {}), InvariantViolation); });
  engine->run();
}

TEST_CASE("Flows over the same links end as their own bytes are there, whenever they start") {
  // 12 GB/s. a (12 GB), b (24 GB) and c (30 GB) start together: 4 GB/s each until a ends at 3 s, then 6 GB/s each. d starts
  // at 4 s with 4 GB: b has 24 − 12 − 6 = 6 GB left, c 12, all at 4 GB/s. d ends at 5 s; b has 2 GB left at 6 GB/s: 5 s + 1/3.
  // c then has 12 − 4 − 2 = 6 GB left, alone: half a second.
  const auto engine = either_engine();
  EngineScript script(*engine);
  const std::vector<LinkId> path{engine->add_link(12 * GB), engine->add_link(20 * GB)};
  for (const auto& [name, bytes] : {std::pair{"a", 12 * GB}, {"b", 24 * GB}, {"c", 30 * GB}}) script.start(name, path, bytes);
  script.at(4.0, [&] { script.start("d", path, 4 * GB); });
  engine->run();
  CHECK(script.end_s("a") == near_s(3));
  CHECK(script.end_s("d") == near_s(5));
  CHECK(script.end_s("b") == near_s(5 + 1.0 / 3));
  CHECK(script.end_s("c") == near_s(5.5 + 1.0 / 3));
}

TEST_CASE("Equal flows with a cap keep it, and leave to others what it does not take") {
  // 10 GB/s: three flows of at most 2 GB/s and one without a cap, which has the other 4 GB/s.
  const auto engine = either_engine();
  EngineScript script(*engine);
  const LinkId link = engine->add_link(10 * GB);
  for (const char* name : {"a", "b", "c"}) script.start(name, {link}, 20 * GB, 2 * GB);
  script.start("free", {link}, 20 * GB);
  script.at(1.0, [&] {
    CHECK(engine->flow_rate(script.flow("b").id) == Approx(2 * GB));
    CHECK(engine->flow_rate(script.flow("free").id) == Approx(4 * GB));
    CHECK(engine->flow_bytes_left(script.flow("b").id) == Approx(18 * GB));
    engine->cancel_flow(script.flow("c").id);
  });
  script.at(2.0, [&] { CHECK(engine->flow_rate(script.flow("free").id) == Approx(6 * GB)); });
  engine->run();
  CHECK(script.end_s("a") == near_s(10));
}
