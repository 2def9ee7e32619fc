#include <cmath>

#include "models/cost/collective_cost.h"
#include "models/cost/roofline_cost.h"
#include "models/llm/operator_graph.h"
#include "tests/support/catch.h"
#include "tests/support/devices.h"

using namespace rackwright;
using namespace rackwright::cost;
using llm::Operator;
using llm::OperatorKind;

namespace {

Operator gemm(double m, int n, int k) {
  Operator op{.kind = OperatorKind::down};
  op.m = m;
  op.n = n;
  op.k = k;
  op.flops = 2 * m * n * k;
  op.bytes = 2 * (m * k + m * n + static_cast<double>(n) * k);
  return op;
}

RooflineOperatorCost roofline(const hardware::DeviceSpec& device) {
  return {device, default_efficiencies(device), std::nullopt};
}

Operator all_reduce(double bytes, int ranks) {
  Operator op{.kind = OperatorKind::all_reduce};
  op.message_bytes = bytes;
  op.ranks = ranks;
  return op;
}

}  // namespace

TEST_CASE("A matrix product is memory-bound below the knee and compute-bound above it") {
  // With n, k large, intensity is m operations per byte: the knee lies where 2·m·n·k / (0.80·989e12) equals
  // 2·(n·k + m·(n + k)) / (0.8·4.8e12), near m = 206 for weights alone.
  const RooflineOperatorCost model = roofline(test::h200());
  const OperatorCost small = model.cost(gemm(16, 16384, 16384));
  CHECK(small.parts.memory_s == Approx(2 * (16384.0 * 16384 + 2 * 16 * 16384) / (0.8 * 4.8e12)));
  CHECK(small.parts.sm_clock_s == 3e-6);
  const OperatorCost large = model.cost(gemm(4096, 16384, 16384));
  CHECK(large.parts.memory_s == 0);
  CHECK(large.parts.sm_clock_s == Approx(2 * 4096 * 16384.0 * 16384 / (0.80 * 989e12) + 3e-6));
  const double knee = 0.80 * 989e12 / (0.8 * 4.8e12);
  CHECK(model.cost(gemm(std::floor(knee) - 1, 16384, 16384)).parts.memory_s > 0);
  CHECK(model.cost(gemm(std::ceil(knee * 1.05), 16384, 16384)).parts.memory_s == 0);
}

TEST_CASE("No operator gets slower with more bandwidth or arithmetic") {
  hardware::DeviceSpec faster = test::h200();
  const int field = GENERATE(0, 1, 2);
  if (field == 0) faster.memory_bytes_per_s = 1.3 * *faster.memory_bytes_per_s;
  if (field == 1) faster.peak.bf16_flop_per_s = 1.3 * *faster.peak.bf16_flop_per_s;
  if (field == 2) faster.achieved_bf16_fraction = 0.9;
  const RooflineOperatorCost before = roofline(test::h200());
  const RooflineOperatorCost after = roofline(faster);
  for (double m = 1; m <= 16384; m *= 2)
    CHECK(after.cost(gemm(m, 4096, 4096)).seconds() <= before.cost(gemm(m, 4096, 4096)).seconds());
}

TEST_CASE("A format that the device does not multiply runs in bf16, at its rate and efficiency, with the weights' own bytes") {
  // 2·m·n·k / (0.80 · 989e12), whatever the weights: no fp4 or int8 here, and fp8's rate is not fp4's.
  const auto format = GENERATE(hardware::NumberFormat::fp4, hardware::NumberFormat::int8);
  const RooflineOperatorCost model = roofline(test::h200());
  const double bf16 = model.cost(gemm(4096, 4096, 4096)).seconds();
  Operator op = gemm(4096, 4096, 4096);
  op.format = format;
  CHECK(model.cost(op).seconds() == Approx(bf16));
  // One row: a weight's bytes, and 16-bit activations: 8192 · 8192 / 2 + 2 · 8192 + 2 · 8192.
  op = gemm(1, 8192, 8192);
  op.format = hardware::NumberFormat::fp4;
  op.bytes = 8192.0 * 8192 / 2 + 8192 * 0.5 + 2 * 8192;
  CHECK(model.cost(op).parts.memory_s == Approx((8192.0 * 8192 / 2 + 4 * 8192) / (0.8 * 4.8e12)));
  op = gemm(4096, 4096, 4096);
  op.format = hardware::NumberFormat::fp8;
  CHECK(model.cost(op).seconds() < bf16);
}

TEST_CASE("fp8 on a device without it is never faster nor slower than bf16 where arithmetic binds") {
  hardware::DeviceSpec a100 = test::h200();
  a100.peak.fp8_flop_per_s.reset();
  a100.achieved_fp8_fraction = GENERATE(std::optional<double>{}, std::optional<double>{0.5});
  Operator op = gemm(8192, 8192, 8192);
  op.format = hardware::NumberFormat::fp8;
  CHECK(roofline(a100).cost(op).seconds() == Approx(roofline(a100).cost(gemm(8192, 8192, 8192)).seconds()));
}

TEST_CASE("A device known only in one format reaches the defaults' share of it in the other") {
  // 0.72 / 0.75 = 0.96: products in fp8 at twice the rate are 1.92 times as fast, on slow devices as on fast ones.
  hardware::DeviceSpec device = test::h200();
  device.peak.fp8_flop_per_s = 2 * *device.peak.bf16_flop_per_s;
  device.achieved_fp8_fraction.reset();
  device.achieved_bf16_fraction = GENERATE(0.51, 0.68, 0.87);
  Operator op = gemm(16384, 16384, 16384);
  const double bf16 = roofline(device).cost(op).seconds();
  op.format = hardware::NumberFormat::fp8;
  CHECK(bf16 / roofline(device).cost(op).seconds() == Approx(1.92).epsilon(1e-3));
  CHECK(default_efficiencies(device).prefill_attention == std::min(0.6, *device.achieved_bf16_fraction));
  device.achieved_bf16_fraction.reset();
  device.achieved_fp8_fraction = 0.48;
  CHECK(default_efficiencies(device).gemm_bf16 == Approx(0.5));
}

TEST_CASE("A device without a needed figure is refused by the name of the figure") {
  hardware::DeviceSpec device = test::h200();
  device.memory_bytes_per_s.reset();
  Diagnostics findings;
  CHECK_FALSE(check_roofline_inputs(device, {"s.yaml", 4, 2}, "deployment[0]", findings));
  REQUIRE(findings.error_count() == 1);
  CHECK(findings.all()[0].message == "the catalog does not know memory_bytes_per_s of h200-sxm");
}

TEST_CASE("NCCL's all-reduce is met within 30 percent on four and eight H100, on two within a half") {
  // NCCL tests of AIConfigurator: microseconds by elements of two bytes, 8, 4 and 2 H100.
  const std::vector<double> elements{512, 4096, 32768, 262144, 1 << 20, 4 << 20, 16 << 20, 64 << 20, 128 << 20, 256 << 20};
  const std::vector<std::pair<int, std::vector<double>>> measured{
      {8, {15.6, 16.0, 18.7, 20.1, 38.2, 78.9, 199.8, 578.7, 1092.1, 2111.1}},
      {4, {9.3, 10.0, 11.3, 14.5, 27.7, 62.8, 175.7, 613.2, 1181.0, 2299.7}}};
  ScaleUpSpec nvlink = scale_up_spec("nvlink4", 450e9);
  nvlink.all_reduce = AllReduce::nccl;
  for (const auto& [ranks, times] : measured)
    for (std::size_t i = 0; i < elements.size(); ++i) {
      CAPTURE(ranks, elements[i]);
      CHECK(collective_seconds(nvlink, all_reduce(2 * elements[i], ranks)) * 1e6 == Approx(times[i]).epsilon(0.3));
    }
  const std::vector<double> two_gpus{5.9, 6.8, 7.3, 10.7, 27.9, 47.3, 143.6, 466.2, 881.3, 1686.4};
  for (std::size_t i = 0; i < elements.size(); ++i)
    CHECK(collective_seconds(nvlink, all_reduce(2 * elements[i], 2)) * 1e6 == Approx(two_gpus[i]).epsilon(0.5));
}

TEST_CASE("Peer-memory all-reduce meets the published kernels within 12 percent") {
  // vLLM on 8 H100 in a CUDA graph, elements of two bytes.
  const ScaleUpSpec nvlink = scale_up_spec("nvlink4", 450e9);
  const auto [elements, us] = GENERATE(table<double, double>(
      {{1024, 4.7}, {8192, 5.3}, {65536, 7.9}, {262144, 12.0}, {1 << 20, 19.4}, {4 << 20, 50.7}, {16 << 20, 177.8}}));
  CHECK(collective_seconds(nvlink, all_reduce(2 * elements, 8)) * 1e6 == Approx(us).epsilon(0.12));
}

TEST_CASE("An engine's own all-reduce takes messages below its limit, over PCIe between two devices only") {
  // One shot: 4.7 us and the peer's whole buffer at 0.76 of the link. 1 MB at 16 GB/s: 4.7 us + 1e6 / 12.16e9 s = 86.94 us.
  ScaleUpSpec pcie = scale_up_spec("pcie5", 16e9);
  pcie.ring_step_s = 20e-6;
  // A ring of two as stated: 2 steps of 20 us and half the buffer each, 40 us + 1e6 / 16e9 s = 102.5 us.
  CHECK(collective_seconds(pcie, all_reduce(1e6, 2)) == Approx(102.5e-6));
  pcie.all_reduce = AllReduce::peer_memory;
  CHECK(collective_seconds(pcie, all_reduce(1e6, 2)) == Approx(4.7e-6 + 1e6 / (0.76 * 16e9)));
  CHECK(collective_time(pcie, all_reduce(1e6, 2)).provenance == Provenance::assumed);
  const double limit = 8 * 1024 * 1024;
  CHECK(collective_seconds(pcie, all_reduce(limit, 2)) == Approx(40e-6 + limit / 16e9));
  // Four: six steps of 20 us and a quarter.
  CHECK(collective_seconds(pcie, all_reduce(1e6, 4)) == Approx(6 * (20e-6 + 0.25e6 / 16e9)));
  ScaleUpSpec nvlink = scale_up_spec("nvlink4", 450e9);
  nvlink.all_reduce = AllReduce::peer_memory;
  nvlink.peer_limit_bytes = 1e5;
  CHECK(collective_seconds(nvlink, all_reduce(9e4, 4)) == Approx(4.7e-6 + 3 * 9e4 / (0.76 * 450e9)));
  nvlink.all_reduce = AllReduce::nccl;
  const double library_s = collective_seconds(nvlink, all_reduce(1e6, 4));
  nvlink.all_reduce = AllReduce::peer_memory;
  CHECK(collective_seconds(nvlink, all_reduce(1e6, 4)) == library_s);
}

TEST_CASE("Collectives of one rank cost nothing, and never less for more bytes") {
  const ScaleUpSpec link = scale_up_spec(GENERATE("nvlink3", "nvlink4", "nvlink5", "pcie5", "mesh"), 100e9);
  for (const OperatorKind kind : {OperatorKind::all_reduce, OperatorKind::all_gather, OperatorKind::all_to_all, OperatorKind::send}) {
    Operator op = all_reduce(1024, 1);
    op.kind = kind;
    CHECK(collective_seconds(link, op) == 0);
    op.ranks = 4;
    double before = 0;
    for (op.message_bytes = 1; op.message_bytes < 1e9; op.message_bytes *= 3) {
      const double now = collective_seconds(link, op);
      CHECK(now >= before);
      before = now;
    }
  }
}
