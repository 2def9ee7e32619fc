#include "models/kernels/shapes/gemm_cases.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "models/base/random.h"

namespace rackwright::kernels {
namespace {

const std::vector<int> decode_buckets{0, 1, 2, 4, 8, 12, 16, 24, 32, 40, 48, 56, 64, 72, 80};
const std::vector<int> mixed_decode_buckets{0, 8, 16, 32, 48, 64, 80};
const std::vector<int> prefill_buckets{64, 128, 256, 384, 512, 640, 768, 1024, 1280, 1536, 1792, 2048};
const std::vector<int> coarse_rows{1,   2,   4,   8,   16,   32,   64,   96,   128,  192,  256,
                                   384, 512, 768, 1024, 1536, 2048, 3072, 4096, 8192, 16384};
const std::vector<int> logit_rows{1, 2, 4, 8, 12, 16, 24, 32, 40, 48, 56, 64, 72, 80, 96, 128, 192, 256, 512};
const std::vector<int> sparse_rows{1, 16, 64, 128, 256, 512, 1024, 2048, 4096, 8192};
const std::vector<int> fp8_rows{1, 4, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384};

std::vector<int> fine_rows() {
  std::set<int> rows(decode_buckets.begin() + 1, decode_buckets.end());
  for (int decode : mixed_decode_buckets)
    for (int prefill : prefill_buckets) rows.insert(decode + prefill);
  rows.insert(coarse_rows.begin(), coarse_rows.end());
  return {rows.begin(), rows.end()};
}

/// Cases in first-seen order, each once.
class CaseList {
 public:
  void add(OperandType type, WeightShape weight, const std::vector<int>& rows) {
    for (int m : rows)
      if (seen_.insert({static_cast<int>(type), m, weight.n, weight.k}).second)
        cases_.push_back({type, m, weight.n, weight.k});
  }
  std::vector<GemmCase> take() { return std::move(cases_); }

 private:
  std::set<std::array<int, 4>> seen_;
  std::vector<GemmCase> cases_;
};

bool has_fine_grid(const Shard& shard) {
  return (shard.model.name == "llama-3.1-8b" && shard.tensor_parallel == 1) ||
         (shard.model.name == "llama-3.1-70b" && shard.tensor_parallel == 2);
}

std::vector<WeightShape> layer_weights(const Shard& shard) {
  std::vector<WeightShape> weights{shard.qkv(), shard.attention_out()};
  if (shard.model.ffn > 0) weights.insert(weights.end(), {shard.gate_up(), shard.down()});
  return weights;
}

}  // namespace

std::string name_of(OperandType type) { return type == OperandType::bf16 ? "bf16" : "fp8_e4m3"; }

std::vector<int> GroupedGemmCase::rows_per_expert() const {
  std::vector<double> share(experts, 1.0);
  if (zipf)
    for (int i = 0; i < experts; ++i) share[i] = 1.0 / (i + 1);
  double total = 0;
  for (double s : share) total += s;
  // Cumulative rounding keeps the sum exact.
  std::vector<int> counts(experts);
  double cumulative = 0;
  int given = 0;
  for (int i = 0; i < experts; ++i) {
    cumulative += share[i] / total * rows;
    const int until = i + 1 == experts ? rows : static_cast<int>(std::lround(cumulative));
    counts[i] = until - given;
    given = until;
  }
  return counts;
}

std::vector<GemmCase> gemm_grid() {
  CaseList list;
  const auto shards = profiled_shards();
  for (const auto& shard : shards)
    if (has_fine_grid(shard))
      for (const auto& weight : layer_weights(shard)) list.add(OperandType::bf16, weight, fine_rows());
  for (const auto& shard : shards) {
    for (const auto& weight : layer_weights(shard)) list.add(OperandType::bf16, weight, coarse_rows);
    list.add(OperandType::bf16, shard.lm_head(), logit_rows);
  }
  for (const auto& weight : further_weights()) list.add(OperandType::bf16, weight, coarse_rows);
  for (const auto& shard : sparsely_profiled_shards()) {
    for (const auto& weight : layer_weights(shard)) list.add(OperandType::bf16, weight, sparse_rows);
    list.add(OperandType::bf16, shard.lm_head(), {1, 16, 64, 256});
  }
  for (const auto& shard : {Shard{llama_8b(), 1}, Shard{llama_70b(), 1}, Shard{llama_70b(), 2}, Shard{llama_405b(), 8}})
    for (const auto& weight : layer_weights(shard)) list.add(OperandType::fp8_e4m3, weight, fp8_rows);
  for (const auto& weight : further_weights()) list.add(OperandType::fp8_e4m3, weight, fp8_rows);
  return list.take();
}

std::vector<GroupedGemmCase> grouped_gemm_grid() {
  struct ExpertWeights {
    int experts, n, k;
  };
  // Experts held by one device: Qwen3-30B-A3B whole, Qwen3-235B-A22B and DeepSeek-V3 over 8, Mixtral 8x7B over 2 (tensor parallel).
  const ExpertWeights held[] = {{128, 1536, 2048}, {128, 2048, 768},  {16, 3072, 4096}, {16, 4096, 1536},
                                {32, 4096, 7168},  {32, 7168, 2048}, {8, 14336, 4096}, {8, 4096, 7168}};
  std::vector<GroupedGemmCase> cases;
  for (const auto& e : held)
    for (int rows : {8, 32, 128, 512, 1024, 2048, 4096, 16384})
      for (bool zipf : {false, true}) cases.push_back({e.experts, rows, zipf, e.n, e.k});
  return cases;
}

std::vector<GemmCase> gemm_off_grid(std::uint64_t seed, int count) {
  RandomStream random(seed, "gemm", "off-grid");
  const auto log_uniform = [&](double low, double high) { return std::exp(std::lerp(std::log(low), std::log(high), random.uniform())); };
  std::vector<WeightShape> known;
  for (const auto& shard : profiled_shards())
    for (const auto& weight : layer_weights(shard)) known.push_back(weight);
  const auto rows = fine_rows();
  std::vector<GemmCase> cases;
  while (static_cast<int>(cases.size()) < count) {
    const int m = static_cast<int>(std::lround(log_uniform(1, 12000)));
    WeightShape weight = known[static_cast<std::size_t>(random.uniform() * static_cast<double>(known.size()))];
    if (cases.size() % 2 == 1)
      weight = {64 * static_cast<int>(log_uniform(16, 512)), 64 * static_cast<int>(log_uniform(16, 448))};
    if (!std::binary_search(rows.begin(), rows.end(), m)) cases.push_back({OperandType::bf16, m, weight.n, weight.k});
  }
  return cases;
}

}  // namespace rackwright::kernels
