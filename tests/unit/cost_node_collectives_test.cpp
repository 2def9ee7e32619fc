#include <cmath>

#include "models/cost/node_collectives.h"
#include "tests/support/catch.h"

using namespace rackwright;
using namespace rackwright::cost;
using llm::Operator;
using llm::OperatorKind;

namespace {

Operator collective(OperatorKind kind, int ranks, double bytes) {
  Operator op;
  op.kind = kind;
  op.ranks = ranks;
  op.message_bytes = bytes;
  return op;
}

/// Nodes of eight, a card of 40 GB/s for each device.
ScaleUpSpec nodes(const char* link, double bytes_per_s) {
  ScaleUpSpec spec = scale_up_spec(link, bytes_per_s);
  spec.in_fabric_reduction = std::string_view(link) == "nvlink4";
  spec.domain_ranks = 8;
  spec.remote_bytes_per_s = 40e9;
  return spec;
}

constexpr double GB = 1e9;

}  // namespace

TEST_CASE("A small all-reduce between nodes takes a tree under LL, whose start grows with the logarithm of the nodes") {
  // 6.8 us + 2 (7 · 0.6 + log2(k) · 5) us.
  const ScaleUpSpec spec = nodes("nvlink4", 450e9);
  CHECK(node_collective_seconds(spec, collective(OperatorKind::all_reduce, 16, 8)) * 1e6 == Approx(6.8 + 2 * (7 * 0.6 + 5)).epsilon(1e-3));
  CHECK(node_collective_seconds(spec, collective(OperatorKind::all_reduce, 32, 8)) * 1e6 == Approx(6.8 + 2 * (7 * 0.6 + 10)).epsilon(1e-3));
  // Published of 16 and 32 H100 with a 400 Gb/s card each: 26.6 and 37.1 us.
}

TEST_CASE("A long collective between nodes takes as long as its bytes over the cards of a node, or over the link inside") {
  // All-gather, n = 16: 15/16 of the buffer through every device, an eighth of that through each card: 15/16 / 8 / 40 GB/s
  // = 2.93 ms a GB, inside 15/16 / 360 GB/s = 2.60 ms.
  const ScaleUpSpec spec = nodes("nvlink4", 450e9);
  const auto ms_per_gb = [](const ScaleUpSpec& s, OperatorKind kind, int ranks) {
    return (node_collective_seconds(s, collective(kind, ranks, 200 * GB)) - node_collective_seconds(s, collective(kind, ranks, 100 * GB))) * 1e3 / 100;
  };
  CHECK(ms_per_gb(spec, OperatorKind::all_gather, 16) == Approx(15.0 / 16 / 8 / 40 * 1e3));
  // All-reduce without sums in switches: twice as much. With them a node sends its sum once to each other: over two nodes the
  // switches' 0.565 · 450 GB/s bound it, 3.93 ms against 1 / 320 GB/s = 3.13 ms; over eight 2 · 7/8 / 320 GB/s = 5.47 ms.
  CHECK(ms_per_gb(nodes("nvlink3", 300e9), OperatorKind::all_reduce, 16) == Approx(2 * 15.0 / 16 / 240 * 1e3));
  CHECK(ms_per_gb(spec, OperatorKind::all_reduce, 16) == Approx(1 / (0.565 * 450) * 1e3));
  CHECK(ms_per_gb(spec, OperatorKind::all_reduce, 64) == Approx(2 * 7.0 / 8 / 320 * 1e3));
}

TEST_CASE("What a node sends on is what bounds a long collective: its cards never carry more than their rate") {
  const ScaleUpSpec spec = nodes("nvlink4", 450e9);
  for (const OperatorKind kind : {OperatorKind::all_reduce, OperatorKind::all_gather, OperatorKind::reduce_scatter}) {
    for (const int ranks : {16, 24, 64}) {
      const Operator op = collective(kind, ranks, 100 * GB);
      CHECK(node_collective_bytes(spec, op) / node_collective_seconds(spec, op) <= 8 * spec.remote_bytes_per_s * (1 + 1e-12));
    }
  }
  // 15/16 of the buffer, of a ring through sixteen; the sum of a node once to the only other one.
  CHECK(node_collective_bytes(spec, collective(OperatorKind::all_gather, 16, 16)) == Approx(15));
  CHECK(node_collective_bytes(spec, collective(OperatorKind::all_reduce, 16, 16)) == Approx(16));
}

TEST_CASE("A network whose switches sum gets each node's sum once, however many nodes there are") {
  // Eight nodes: 1 / 320 GB/s = 3.13 ms a GB through the cards instead of 2 · 7/8 of it; what the domains' switches sum bounds it.
  ScaleUpSpec spec = nodes("nvlink4", 450e9);
  spec.network_reduces = true;
  const Operator op = collective(OperatorKind::all_reduce, 64, 100 * GB);
  CHECK(node_collective_bytes(spec, op) == Approx(100 * GB));
  CHECK(node_collective_seconds(spec, op) == Approx(100 / (0.565 * 450) + 8.4e-6 + 25e-6 + 36e-6));
  // Without sums inside, rings inside: 2 · 7/8 / 360 GB/s = 4.86 ms a GB.
  spec.in_fabric_reduction = false;
  CHECK(node_collective_seconds(spec, op) == Approx(100 * 1.75 / 360).epsilon(1e-3));
}

TEST_CASE("A group inside its domain, or without a network, is none between nodes; one beyond it takes no kernels over peers' memory") {
  ScaleUpSpec spec = nodes("nvlink4", 450e9);
  spec.all_reduce = AllReduce::peer_memory;
  CHECK_FALSE(leaves_domain(spec, collective(OperatorKind::all_reduce, 8, 1024)));
  CHECK(leaves_domain(spec, collective(OperatorKind::all_reduce, 16, 1024)));
  CHECK(runs_over_peer_memory(spec, collective(OperatorKind::all_reduce, 8, 1024)));
  CHECK_FALSE(runs_over_peer_memory(spec, collective(OperatorKind::all_reduce, 16, 1024)));
  const Operator op = collective(OperatorKind::all_reduce, 16, 1024);
  CHECK(collective_seconds(spec, op) == node_collective_seconds(spec, op));
  spec.domain_ranks = 0;
  CHECK_FALSE(leaves_domain(spec, op));
}

TEST_CASE("By NCCL's constants alone, published collectives between nodes are met within a factor") {
  // Nothing is fitted here. Two and four nodes of eight H100 with a 400 Gb/s card each: from 1 KiB to 16 GiB within 0.5 to 1.5.
  ScaleUpSpec spec = nodes("nvlink4", 450e9);
  spec.remote_bytes_per_s = 0.87 * 50e9;
  const auto [ranks, bytes, us] = GENERATE(table<int, double, double>({{16, 1024, 26.65}, {16, 65536, 33.08}, {16, 1 << 20, 71.47}, {16, 67108864, 466.3},
                                                                       {16, 1073741824, 4470.2}, {32, 1024, 37.10}, {32, 1 << 20, 82.21},
                                                                       {32, 67108864, 574.4}, {32, 1073741824, 5802.8}}));
  CAPTURE(ranks, bytes);
  const double ratio = node_collective_seconds(spec, collective(OperatorKind::all_reduce, ranks, bytes)) * 1e6 / us;
  CHECK(ratio > 0.5);
  CHECK(ratio < 1.5);
}
