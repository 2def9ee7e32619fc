#include <algorithm>
#include <cmath>
#include <numeric>

#include "models/llm/expert_balance.h"
#include "models/llm/operator_graph.h"
#include "models/llm/sharding.h"
#include "tests/support/catch.h"
#include "tests/support/model_preset.h"

using namespace rackwright;
using namespace rackwright::llm;

namespace {

double sum_of(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

std::vector<double> device_sums(const std::vector<std::vector<PlacedExpert>>& devices) {
  std::vector<double> sums;
  for (const auto& placed : devices) {
    sums.push_back(0);
    for (const PlacedExpert& one : placed) sums.back() += one.share;
  }
  return sums;
}

ExpertSpread with_shares(std::vector<double> shares, ExpertSpread::Placement placement, int redundant = 0) {
  ExpertSpread spread;
  spread.placement = placement;
  spread.redundant = redundant;
  spread.shares = {std::move(shares)};
  return spread;
}

ShardedShape deepseek(const Parallelism& parallelism) {
  Diagnostics findings;
  ShardedShape sharded = shard(test::model_preset("deepseek-v3"), parallelism, {}, "deployment[0]", findings);
  REQUIRE_FALSE(findings.has_errors());
  return sharded;
}

std::vector<Operator> of_kind(const ShardedShape& sharded, OperatorKind kind, std::int64_t tokens) {
  std::vector<Operator> found;
  for (const Operator& op : token_operators(sharded, tokens))
    if (op.kind == kind) found.push_back(op);
  return found;
}

constexpr auto contiguous = ExpertSpread::Placement::contiguous;
constexpr auto balanced = ExpertSpread::Placement::balanced;

}  // namespace

TEST_CASE("Even experts are as busy as the closed forms say") {
  // 256 experts of which a token chooses 8, over 32 devices: 8 · (1 − (1 − 8/256)^T) with a token, 32 · (1 − (31/32)^8) copies.
  const ExpertBalance even(256, 8, 32, {});
  CHECK(even.imbalance() == Approx(1));
  for (const double tokens : {1, 2, 7, 23, 100, 1000}) CHECK(even.activated(tokens) == Approx(8 * (1 - std::pow(1 - 8.0 / 256, tokens))).epsilon(3e-4));
  CHECK(even.device_copies() == Approx(32 * (1 - std::pow(31.0 / 32, 8))));
}

TEST_CASE("A power law falls as rank^-s, in an order of its own for each seed and layer") {
  // s = 1, K = 1: shares of 1 : 1/2 : 1/3 : 1/4 over 25/12.
  std::vector<double> shares = power_law_shares(4, 1, 1, 7, 0);
  CHECK(sum_of(shares) == Approx(1));
  std::ranges::sort(shares, std::greater{});
  for (int rank = 1; rank <= 4; ++rank) CHECK(shares[static_cast<std::size_t>(rank - 1)] == Approx(12.0 / 25 / rank));
  CHECK(power_law_shares(64, 1, 4, 7, 0) == power_law_shares(64, 1, 4, 7, 0));
  CHECK(power_law_shares(64, 1, 4, 7, 0) != power_law_shares(64, 1, 4, 7, 1));
  CHECK(power_law_shares(64, 1, 4, 7, 0) != power_law_shares(64, 1, 4, 8, 0));
}

TEST_CASE("No expert has more than one choice of every token") {
  // Two of K = 2 choices at most half each: 8 : 1 : 1 becomes 2 : 1 : 1.
  const std::vector<double> shares = capped_shares({8, 1, 1}, 0.5);
  CHECK(shares[0] == Approx(0.5));
  CHECK(shares[1] == Approx(0.25));
  CHECK(shares[2] == Approx(0.25));
  // 6 : 3 : 1 with a cap of 0.4: the first is capped, which puts the second above it.
  const std::vector<double> twice = capped_shares({6, 3, 1}, 0.4);
  CHECK(twice[1] == Approx(0.4));
  CHECK(twice[2] == Approx(0.2));
}

TEST_CASE("Experts in order load the first device, and placed by load they even out") {
  // 0.4 + 0.3 against 0.2 + 0.1, or 0.4 + 0.1 against 0.3 + 0.2.
  const std::vector<double> shares{0.4, 0.3, 0.2, 0.1};
  CHECK(device_sums(place_experts(shares, 2, with_shares(shares, contiguous)))[0] == Approx(0.7));
  CHECK(ExpertBalance(4, 1, 2, with_shares(shares, contiguous)).imbalance() == Approx(1.4));
  CHECK(ExpertBalance(4, 1, 2, with_shares(shares, balanced)).imbalance() == Approx(1));
}

TEST_CASE("Copies of a hot expert share its tokens, on different devices") {
  // 0.7 cannot be balanced whole: 0.7 + 0.1 against 0.1 + 0.1. A copy a device splits it into 0.35 twice, and the next one too.
  const std::vector<double> shares{0.7, 0.1, 0.1, 0.1};
  CHECK(ExpertBalance(4, 1, 2, with_shares(shares, balanced)).imbalance() == Approx(1.6));
  const auto placed = place_experts(shares, 2, with_shares(shares, balanced, 1));
  for (const auto& device : placed) {
    CHECK(device.size() == 3);
    CHECK(std::ranges::count(device, 0, &PlacedExpert::expert) == 1);
  }
  CHECK(ExpertBalance(4, 1, 2, with_shares(shares, balanced, 1)).imbalance() == Approx(1));
}

TEST_CASE("More copies never make the busiest device busier, and everything is placed once at least") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const std::vector<double> shares = power_law_shares(60, 0.8, 4, seed, 0);
    double last = 1e9;
    for (int redundant = 0; redundant < 5; ++redundant) {
      const ExpertSpread spread = with_shares(shares, balanced, redundant);
      std::vector<double> found(60);
      for (const auto& device : place_experts(shares, 12, spread))
        for (const PlacedExpert& one : device) found[static_cast<std::size_t>(one.expert)] += one.share;
      for (std::size_t e = 0; e < found.size(); ++e) CHECK(found[e] == Approx(shares[e]));
      const double imbalance = ExpertBalance(60, 4, 12, spread).imbalance();
      CHECK(imbalance <= last * 1.02);  // Greedy packing is not optimal.
      last = imbalance;
    }
    CHECK(last < 1.05);
  }
}

TEST_CASE("A token whose experts lie on few nodes reaches few nodes and few devices") {
  // Nine nodes of eight: over all, 9 · (1 − (8/9)^8) nodes; over four at most, 4 · (1 − (3/4)^8), 32 · (1 − (31/32)^8) devices.
  ExpertSpread spread;
  spread.node_devices = 8;
  CHECK(ExpertBalance(288, 8, 72, spread).node_copies() == Approx(9 * (1 - std::pow(8.0 / 9, 8))));
  spread.token_nodes = 4;
  const ExpertBalance limited(288, 8, 72, spread);
  CHECK(limited.nodes() == 9);
  CHECK(limited.node_copies() == Approx(4 * (1 - std::pow(0.75, 8))));
  CHECK(limited.device_copies() == Approx(32 * (1 - std::pow(31.0 / 32, 8))));
}

TEST_CASE("Every device holds the weights of its copies") {
  // 58 layers, 3 · 7168 · 2048 values of fp8 with a scale of 4 B for 128 x 128 of them.
  const double without = deepseek({.data = 32, .expert = 32}).weight_bytes;
  Parallelism two{.data = 32, .expert = 32};
  two.experts.placement = balanced;
  two.experts.redundant = 2;
  CHECK(deepseek(two).weight_bytes - without == Approx(2 * 58 * 3.0 * 7168 * 2048 * (1 + 4.0 / (128 * 128))).epsilon(1e-3));
}

TEST_CASE("The busiest device multiplies its share of rows with its experts") {
  // Half of all choices fall on the first of 256 experts' eighth: capped at 1/8 an expert, four of them take all of half.
  std::vector<double> shares(256, 0.5 / 252);
  for (int e = 0; e < 4; ++e) shares[static_cast<std::size_t>(e)] = 0.125;
  Parallelism p{.data = 32, .expert = 32};
  const double even = of_kind(deepseek(p), OperatorKind::expert_gate_up, 3200).at(0).m;
  CHECK(even == Approx(3200 * 8 / 32));
  p.experts.shares = {shares};
  const Operator skewed = of_kind(deepseek(p), OperatorKind::expert_gate_up, 3200).at(0);
  CHECK(skewed.m == Approx(3200 * 8 * (0.5 + 4 * 0.5 / 252)));
  // With one token a step, all four are read by it, and those beside them by 8 · 0.5/252 of it each.
  CHECK(of_kind(deepseek(p), OperatorKind::expert_gate_up, 1).at(0).groups == Approx(4 + 4 * 8 * 0.5 / 252));
  // More tokens cross the link to the busiest device: every one of them.
  CHECK(of_kind(deepseek(p), OperatorKind::all_to_all, 3200).at(0).message_bytes == Approx(100 * 32 * (1 - std::pow(1 - (0.5 + 2 / 252.0), 8)) * 7168));
}

TEST_CASE("Forwarded, a token crosses the network once for each other node, and the scale-up link for each device") {
  // 32 devices in four nodes, 100 tokens each; fp8 out, bf16 back. Three quarters of the nodes are other ones.
  Parallelism p{.data = 32, .expert = 32};
  p.experts.node_devices = 8;
  p.experts.dispatch = ExpertSpread::Dispatch::forwarded;
  const std::vector<Operator> exchange = of_kind(deepseek(p), OperatorKind::all_to_all, 3200);
  REQUIRE(exchange.size() == 2);
  const double nodes = 4 * (1 - std::pow(0.75, 8)) * 0.75;
  CHECK(exchange[0].network_bytes == Approx(100 * nodes * 7168));
  CHECK(exchange[1].network_bytes == Approx(100 * nodes * 7168 * 2));
  CHECK(exchange[0].message_bytes == Approx(100 * 32 * (1 - std::pow(31.0 / 32, 8)) * 7168));
}

TEST_CASE("A load given of other experts than a layer has is refused") {
  Diagnostics findings;
  Parallelism p{.data = 8, .expert = 8};
  p.experts.shares = {std::vector<double>(64, 1.0 / 64)};
  shard(test::model_preset("deepseek-v3"), p, {}, "deployment[0]", findings);
  REQUIRE(findings.has_errors());
  CHECK(findings.all().front().message == "the load is given of 64 experts, but a layer has 256");
}

TEST_CASE("Rows that come to a device's experts are read once each and written for each expert of theirs, and go back so") {
  // 32 data ranks of 128 tokens: a token goes to 32 · (1 − (31/32)^8) devices, a device's experts have 8 rows for each of its own tokens.
  Parallelism apart{.data = 32, .expert = 32};
  // In one place: each token is read once for its 8 experts.
  Parallelism together;
  const auto elements = [](const Parallelism& parallelism, OperatorKind kind, std::int64_t tokens) {
    const std::vector<Operator> found = of_kind(deepseek(parallelism), kind, tokens);
    REQUIRE(found.size() == 1);
    return found.front().bytes / 2 / 7168;
  };
  for (const OperatorKind kind : {OperatorKind::permute, OperatorKind::combine}) {
    CHECK(elements(apart, kind, 32 * 128) == Approx(128 * (32 * (1 - std::pow(31.0 / 32, 8)) + 8)));
    CHECK(elements(together, kind, 128) == Approx(128 * (1 + 8)));
  }
}
