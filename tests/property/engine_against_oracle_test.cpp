#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/base/random.h"
#include "sim/engine/make_engine.h"
#include "tests/support/catch.h"
#include "tests/support/engine_script.h"
#include "tests/support/oracle_engine.h"

using namespace rackwright;
using namespace rackwright::engine;
using rackwright::tests::EngineScript;

namespace {

struct Start {
  double at_s = 0;
  std::vector<LinkId> path;
  double bytes = 0;
  double rate_cap = 0;
  std::uint32_t entity = 0;
  std::optional<double> cancel_s;
};
struct Change {
  double at_s = 0;
  LinkId link;
  double bandwidth = 0;
};

/// What happens to a network, whoever shares it: the times do not depend on the flows. Flows are called by number.
struct Story {
  std::vector<double> bandwidths;
  std::vector<Start> starts;
  std::vector<Change> changes;
};

double log_uniform(RandomStream& random, double low, double high) {
  return low * std::pow(high / low, random.uniform());
}

std::vector<LinkId> random_path(RandomStream& random, std::size_t links) {
  std::vector<LinkId> all(links);
  for (std::uint32_t i = 0; i < links; ++i) all[i] = {i};
  const std::size_t length = random() % std::min<std::size_t>(links, 6) + (random() % 8 != 0);
  for (std::size_t i = 0; i < length && i < links; ++i) std::swap(all[i], all[i + random() % (links - i)]);
  all.resize(std::min(length, links));
  return all;
}

Story random_story(std::uint64_t seed) {
  RandomStream random(seed, "engine", "story");
  Story story;
  const std::size_t links = 1 + random() % 20;
  for (std::size_t i = 0; i < links; ++i) story.bandwidths.push_back(log_uniform(random, 1e9, 9e11));
  const std::size_t starts = 5 + random() % 60;
  for (std::size_t i = 0; i < starts; ++i) {
    Start start;
    start.at_s = random.uniform() * 5;
    start.path = random_path(random, links);
    start.bytes = random() % 20 == 0 ? 0 : log_uniform(random, 1e3, 1e12);
    start.entity = static_cast<std::uint32_t>(random() % 4);
    if (random() % 3 == 0) start.rate_cap = log_uniform(random, 1e7, 1e12);
    if (random() % 5 == 0) start.cancel_s = start.at_s + random.uniform();
    story.starts.push_back(start);
  }
  for (std::uint32_t i = 0; i < links; ++i) {
    if (random() % 2 == 0) continue;
    // Down for a while, or another bandwidth for good.
    const double at_s = random.uniform() * 5;
    const bool fails = random() % 2 == 0;
    story.changes.push_back({at_s, {i}, fails ? 0 : log_uniform(random, 1e9, 9e11)});
    if (fails) story.changes.push_back({at_s + random.uniform(), {i}, story.bandwidths[i]});
  }
  return story;
}

void tell(const Story& story, Engine& engine, EngineScript& script) {
  for (const double bandwidth : story.bandwidths) engine.add_link(bandwidth);
  for (std::size_t i = 0; i < story.starts.size(); ++i) {
    const Start& start = story.starts[i];
    const std::string name = std::to_string(i);
    script.at(start.at_s, [&script, &start, name] {
      script.start(name, start.path, start.bytes, start.rate_cap, start.entity);
    });
    if (start.cancel_s) script.at(*start.cancel_s, [&script, name] { script.cancel(name); });
  }
  for (const Change& change : story.changes)
    script.at(change.at_s, [&engine, &change] { engine.set_bandwidth(change.link, change.bandwidth); });
  engine.run();
}

}  // namespace

TEST_CASE("SimGrid's shares are the oracle's on any network, with caps, cancellations and changing links") {
  const std::uint64_t seed = GENERATE(range(1, 201));
  CAPTURE(seed);
  const Story story = random_story(seed);
  const auto engine = make_engine();
  EngineScript seen(*engine);
  tell(story, *engine, seen);
  tests::OracleEngine oracle;
  EngineScript expected(oracle);
  tell(story, oracle, expected);

  // Both find max-min rates by raising them in an order of their own; each step of it rounds once, so rates agree
  // to some 10 roundings (1e-15 each). Ends are rounded up to a picosecond. 1e-12 is a thousand roundings.
  const auto same_time = [](SimTime a, SimTime b) {
    return std::abs(a.ps - b.ps) <= 2 + static_cast<std::int64_t>(1e-12 * static_cast<double>(std::max(a, b).ps));
  };
  REQUIRE(seen.flows().size() == expected.flows().size());
  for (const auto& [name, flow] : seen.flows()) {
    CAPTURE(name, flow.end.ps, expected.flow(name).end.ps);
    CHECK((flow.end == SimTime::max()) == (expected.flow(name).end == SimTime::max()));
    CHECK(same_time(flow.end, expected.flow(name).end));
  }
}

TEST_CASE("The bytes of a flow are the sum of its rates over time, and no link carries more than it can") {
  const std::uint64_t seed = GENERATE(range(1, 101));
  CAPTURE(seed);
  Story story = random_story(seed);
  story.changes.clear();
  const auto engine = make_engine();
  EngineScript script(*engine);
  tell(story, *engine, script);
  for (const auto& [name, flow] : script.flows()) {
    if (flow.end == SimTime::max() || flow.rates.empty()) continue;
    CAPTURE(name);
    // Up to one picosecond of rounding at each change of rate.
    double most_rate = 0;
    for (const auto& rate : flow.rates) most_rate = std::max(most_rate, rate.bytes_per_second);
    CHECK(tests::bytes_told(flow, flow.end) ==
          Approx(flow.bytes).epsilon(1e-9).margin(most_rate * 1e-12 * static_cast<double>(flow.rates.size())));
  }

  for (int k = 0; k < 50; ++k) {
    const SimTime when = sim_time(0.1 * k + 0.05);
    std::vector<double> carried(story.bandwidths.size());
    for (const auto& [name, flow] : script.flows()) {
      const auto later = std::ranges::upper_bound(flow.rates, when, {}, &EngineScript::FlowRecord::Rate::since);
      if (later == flow.rates.begin() || flow.end <= when) continue;
      const Start& start = story.starts[std::stoul(name)];
      const double rate = std::prev(later)->bytes_per_second;
      if (start.rate_cap > 0) CHECK(rate <= start.rate_cap * (1 + 1e-12));
      if (start.cancel_s && sim_time(*start.cancel_s) <= when) continue;
      for (const LinkId link : start.path) carried[link.value] += rate;
    }
    for (std::size_t link = 0; link < carried.size(); ++link)
      CHECK(carried[link] <= story.bandwidths[link] * (1 + 1e-12));
  }
}

TEST_CASE("Flows that start where others end keep to the oracle along the whole chain") {
  // A closed loop: each end starts the next flow on the same path. One flow that ends a picosecond earlier moves
  // all that follow, so the tolerance grows with the length of the chain: 2 ps each.
  const std::uint64_t seed = GENERATE(range(1, 21));
  CAPTURE(seed);
  constexpr int chains = 12, length = 20;
  std::vector<std::vector<SimTime>> ends;
  const auto engine = make_engine();
  tests::OracleEngine oracle;
  for (Engine* each : {engine.get(), static_cast<Engine*>(&oracle)}) {
    RandomStream random(seed, "engine", "chains");
    for (int i = 0; i < 8; ++i) each->add_link(log_uniform(random, 1e10, 1e11));
    EngineScript script(*each);
    std::vector<std::function<void(int)>> next(chains);
    for (int c = 0; c < chains; ++c) {
      std::vector<LinkId> path = random_path(random, 8);
      if (path.empty()) path = {LinkId{0}};
      std::vector<double> bytes;
      for (int i = 0; i < length; ++i) bytes.push_back(log_uniform(random, 1e6, 1e9));
      next[c] = [&script, &next, c, path, bytes](int i) {
        if (i == length) return;
        const std::string name = std::to_string(c) + "/" + std::to_string(i);
        script.when_done(name, [&next, c, i] { next[c](i + 1); });
        script.start(name, path, bytes[i]);
      };
      next[c](0);
    }
    each->run();
    auto& times = ends.emplace_back();
    for (const auto& [name, flow] : script.flows()) times.push_back(flow.end);
    CHECK(script.ends().size() == chains * length);
  }
  REQUIRE(ends[0].size() == ends[1].size());
  for (std::size_t i = 0; i < ends[0].size(); ++i)
    CHECK(std::abs(ends[0][i].ps - ends[1][i].ps) <= 2 * length * chains);
}
