#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>

#include "models/kernels/shapes/attention_cases.h"
#include "models/kernels/shapes/gemm_cases.h"
#include "models/kernels/shapes/layer_cases.h"
#include "models/kernels/shapes/step_cases.h"
#include "tests/support/catch.h"

using namespace rackwright::kernels;

namespace {

using GemmKey = std::tuple<OperandType, int, int, int>;

std::set<GemmKey> keys(const std::vector<GemmCase>& cases) {
  std::set<GemmKey> result;
  for (const auto& c : cases) result.insert({c.type, c.m, c.n, c.k});
  return result;
}

}  // namespace

TEST_CASE("A shard's products have the widths that tensor parallelism leaves them") {
  // Llama-3.1-70B over two devices: 32 of 64 query heads and 4 of 8 KV heads, 128 wide; half of 28672.
  const Shard half{llama_70b(), 2};
  CHECK(half.qkv() == WeightShape{(32 + 2 * 4) * 128, 8192});
  CHECK(half.attention_out() == WeightShape{8192, 32 * 128});
  CHECK(half.gate_up() == WeightShape{28672, 8192});
  CHECK(half.down() == WeightShape{8192, 14336});
  CHECK(half.lm_head() == WeightShape{64128, 8192});
}

TEST_CASE("Past one KV head a device keeps a replica of it") {
  const Shard eighth{{"narrow", 4096, 32, 4, 128, 8192, 32000}, 8};
  CHECK(eighth.kv_heads() == 1);
  CHECK(eighth.qkv_width() == (4 + 2) * 128);
}

TEST_CASE("The product grid holds every step of the bucketed serving engine, for 8B on one device and 70B on two") {
  const auto grid = keys(gemm_grid());
  for (const Shard& shard : {Shard{llama_8b(), 1}, Shard{llama_70b(), 2}})
    for (const WeightShape& w : {shard.qkv(), shard.attention_out(), shard.gate_up(), shard.down()})
      for (int decode : {0, 8, 16, 32, 48, 64, 80})
        for (int prefill : {64, 128, 256, 384, 512, 640, 768, 1024, 1280, 1536, 1792, 2048})
          REQUIRE(grid.contains({OperandType::bf16, decode + prefill, w.n, w.k}));
}

TEST_CASE("No shape is measured twice, and every one can be laid out in 16-byte rows") {
  const auto grid = gemm_grid();
  CHECK(keys(grid).size() == grid.size());
  for (const auto& c : grid) {
    const int per_row = 16 / bytes_of(c.type);
    REQUIRE(c.k % per_row == 0);
    REQUIRE(c.n % per_row == 0);
  }
}

TEST_CASE("Off-grid products are off the grid and depend on the seed alone") {
  const auto grid = keys(gemm_grid());
  const auto first = gemm_off_grid(7, 100), again = gemm_off_grid(7, 100), other = gemm_off_grid(8, 100);
  CHECK(first.size() == 100);
  CHECK(keys(first) == keys(again));
  CHECK(keys(first) != keys(other));
  for (const auto& c : first) REQUIRE_FALSE(grid.contains({c.type, c.m, c.n, c.k}));
}

TEST_CASE("Rows over experts keep their sum, alike or by rank") {
  for (int rows : {1, 8, 1000, 16384})
    for (bool zipf : {false, true}) {
      const GroupedGemmCase c{128, rows, zipf, 1536, 2048};
      const auto counts = c.rows_per_expert();
      CHECK(std::accumulate(counts.begin(), counts.end(), 0) == rows);
      CHECK(*std::min_element(counts.begin(), counts.end()) >= 0);
    }
  // 1/1 of the harmonic sum H(4) = 25/12 of 1000 rows: 480.
  CHECK(GroupedGemmCase{4, 1000, true, 8, 8}.rows_per_expert() == std::vector<int>{480, 240, 160, 120});
  CHECK(GroupedGemmCase{4, 1000, false, 8, 8}.rows_per_expert() == std::vector<int>{250, 250, 250, 250});
}

TEST_CASE("Uneven contexts keep the mean and differ; one long context holds at most half of all tokens") {
  const DecodeCase uneven{{32, 8}, 64, 2048, Lengths::uneven};
  const auto lengths = uneven.contexts(1);
  CHECK(lengths == uneven.contexts(1));
  CHECK(lengths != uneven.contexts(2));
  // Rounding moves each length by at most half a token.
  CHECK(std::accumulate(lengths.begin(), lengths.end(), 0.0) / 64 == Approx(2048).margin(0.5));
  CHECK(*std::max_element(lengths.begin(), lengths.end()) > 2 * 2048);

  const auto one_long = DecodeCase{{32, 8}, 8, 1024, Lengths::one_long}.contexts(1);
  CHECK(one_long.back() == 8 * 1024 / 2);
  CHECK(one_long.front() == (8 * 1024 - 4096) / 7);
  const auto of_many = DecodeCase{{32, 8}, 256, 1024, Lengths::one_long}.contexts(1);
  CHECK(of_many.back() == 16 * 1024);
}

TEST_CASE("A step counts weights once, keys once and every multiply-add twice") {
  // One layer of Llama-3.1-8B, one sequence of 1024 tokens. Weights: qkv 6144·4096, out 4096², gate-up
  // 28672·4096, down 4096·14336, head 128256·4096. KV row: 2 · 8 · 128 elements of 2 bytes.
  const StepCase step{{llama_8b(), 1}, 1, 1, 1024, 0, 0};
  const double layer = 6144.0 * 4096 + 4096.0 * 4096 + 28672.0 * 4096 + 4096.0 * 14336, head = 128256.0 * 4096;
  CHECK(step.flops() == Approx(2 * (layer + head) + 4.0 * 32 * 128 * 1024));
  CHECK(step.bytes() == Approx(2 * (layer + head) + 4.0 * 8 * 128 * 1024));
}

TEST_CASE("Every memory-bound operator is on the grid under its own name") {
  std::set<std::string> names;
  for (const auto& c : layer_grid()) names.insert(name_of(c.op));
  CHECK(names == std::set<std::string>{"argmax", "copy", "embedding", "kv_gather", "kv_scatter", "moe_combine", "moe_permute",
                                       "read", "residual_rmsnorm", "rmsnorm", "rope_kv_write", "router_top8", "silu_mul", "top_p_sample"});
}
