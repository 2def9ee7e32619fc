#include "models/llm/operator_graph.h"
#include "models/llm/sharding.h"
#include "tests/support/catch.h"
#include "tests/support/model_preset.h"

using namespace rackwright;
using namespace rackwright::llm;

namespace {

ShardedShape spread(const std::string& preset, const Parallelism& parallelism) {
  Diagnostics findings;
  const ShardedShape sharded = shard(test::model_preset(preset), parallelism, {"s.yaml", 3, 1}, "deployment[0]", findings);
  REQUIRE_FALSE(findings.has_errors());
  return sharded;
}

Diagnostics findings_of(const std::string& preset, const Parallelism& parallelism) {
  Diagnostics findings;
  shard(test::model_preset(preset), parallelism, {"s.yaml", 3, 1}, "deployment[0]", findings);
  return findings;
}

double sum(const std::vector<Operator>& operators, double Operator::*field, OperatorClass only) {
  double total = 0;
  for (const Operator& op : operators)
    if (class_of(op.kind) == only) total += op.count * op.*field;
  return total;
}

}  // namespace

TEST_CASE("One device holds the whole model") {
  const std::string name = GENERATE("llama-3.1-8b", "deepseek-v3", "gpt-oss-120b", "gemma-4-26b-a4b", "qwen3-0.6b");
  const ModelShape model = test::model_preset(name);
  const ShardedShape sharded = spread(name, {});
  CHECK(sharded.weight_bytes == Approx(weight_bytes(parameters(model), model.weights)));
  CHECK(sharded.kv_bytes_per_token == kv_bytes_per_token(model));
  CHECK(kv_bytes(sharded, 5000) == kv_bytes(model, 5000));
}

TEST_CASE("Tensor parallelism divides weights and KV cache, until heads have to be copied") {
  // Qwen3-235B has 4 KV heads: at 8 ways each rank keeps one, 192,512 / 4 = 48,128 B per token, twice over.
  const ShardedShape four = spread("qwen3-235b-a22b", {.tensor = 4});
  const ShardedShape eight = spread("qwen3-235b-a22b", {.tensor = 8});
  CHECK(four.kv_copies == 1);
  CHECK(eight.kv_copies == 2);
  CHECK(four.kv_bytes_per_token == 48128);
  CHECK(eight.kv_bytes_per_token == 48128);
  // Norms and routers stay whole; all else halves.
  CHECK(eight.weight_bytes / four.weight_bytes == Approx(0.5).epsilon(0.01));
  // A compressed row is for all heads, so every rank keeps it.
  CHECK(spread("deepseek-v3", {.tensor = 8}).kv_bytes_per_token == 70272);
  CHECK(spread("deepseek-v3", {.tensor = 8}).kv_copies == 8);
}

TEST_CASE("The longest pipeline stage sets what a device holds") {
  // 126 layers in 4 stages: 32, 32, 31, 31.
  const Diagnostics findings = findings_of("llama-3.1-405b", {.tensor = 8, .pipeline = 4});
  CHECK(findings.warning_count() == 1);
  const ShardedShape sharded = spread("llama-3.1-405b", {.tensor = 8, .pipeline = 4});
  CHECK(sharded.stage_layers == std::vector<int>{32, 32, 31, 31});
  CHECK(sharded.kv_bytes_per_token == 516096.0 / 8 * 32 / 126);
}

TEST_CASE("Experts spread whole over the devices of a stage") {
  const ShardedShape sharded = spread("deepseek-v3", {.data = 32, .expert = 32});
  CHECK(sharded.layers[1].feed_forward.experts == 8);
  CHECK(sharded.layers[1].feed_forward.expert_width == 2048);
  // 58 layers of 8 experts of 3·7168·2048 at one byte and its scales, and attention and dense layers whole.
  const double experts = 58 * 8 * 3.0 * 7168 * 2048;
  CHECK(sharded.weight_bytes > experts);
  CHECK(sharded.weight_bytes < experts + 20e9);
}

TEST_CASE("Degrees that no engine could run are errors where they were given") {
  CHECK(findings_of("llama-3.1-8b", {.tensor = 3}).all()[0].message == "32 query heads cannot be split 3 ways");
  CHECK(findings_of("llama-3.1-8b", {.tensor = 3}).all()[0].where.line == 3);
  CHECK(findings_of("llama-3.1-8b", {.tensor = 16}).error_count() == 0);
  CHECK(findings_of("qwen2.5-7b", {.tensor = 8}).error_count() == 1);  // 28 heads.
  CHECK(findings_of("llama-3.1-8b", {.expert = 2}).has_errors());
  CHECK(findings_of("llama-3.1-8b", {.data = 2}).has_errors());
  CHECK(findings_of("llama-3.1-8b", {.pipeline = 33}).has_errors());
  CHECK(findings_of("mixtral-8x7b", {.tensor = 4, .expert = 2}).has_errors());
  CHECK(findings_of("mixtral-8x7b", {.tensor = 4, .data = 4, .expert = 16}).has_errors());
  CHECK_FALSE(findings_of("mixtral-8x7b", {.tensor = 4, .expert = 4}).has_errors());
}

TEST_CASE("The matrix products of a token cost two operations per active weight") {
  // Every weight but norms, biases and the embedding is multiplied once per token.
  const std::string name = GENERATE("llama-3.1-8b", "mixtral-8x7b", "deepseek-v3", "gemma-4-26b-a4b");
  const ShardedShape sharded = spread(name, {});
  const auto tokens = token_operators(sharded, 64);
  const auto rows = row_operators(sharded, 64);
  const double flops = sum(tokens, &Operator::flops, OperatorClass::gemm) + sum(tokens, &Operator::flops, OperatorClass::grouped_gemm) +
                       sum(rows, &Operator::flops, OperatorClass::gemm);
  CHECK(flops == Approx(2.0 * 64 * static_cast<double>(active_parameters(sharded.model))).epsilon(0.001));
}

TEST_CASE("A step of one token reads the active weights, one of many reads them all") {
  const ShardedShape sharded = spread("mixtral-8x7b", {});
  const double expert_bytes = 32 * 8 * 3.0 * 4096 * 14336 * 2;
  const auto one = token_operators(sharded, 1);
  const auto many = token_operators(sharded, 4096);
  CHECK(sum(one, &Operator::bytes, OperatorClass::grouped_gemm) == Approx(expert_bytes * 2 / 8).epsilon(0.001));
  double weights_read = 0;
  for (const Operator& op : many)
    if (class_of(op.kind) == OperatorClass::grouped_gemm) weights_read += op.count * op.groups * op.n * static_cast<double>(op.k) * 2;
  CHECK(weights_read == Approx(expert_bytes));
}

TEST_CASE("Tensor ranks share the work evenly and reduce twice a layer") {
  const auto whole = token_operators(spread("llama-3.1-70b", {}), 256);
  const auto quarter = token_operators(spread("llama-3.1-70b", {.tensor = 4}), 256);
  CHECK(sum(quarter, &Operator::flops, OperatorClass::gemm) * 4 == Approx(sum(whole, &Operator::flops, OperatorClass::gemm)));
  int reductions = 0;
  for (const Operator& op : quarter) {
    if (op.kind != OperatorKind::all_reduce) continue;
    CHECK(op.message_bytes == 256 * 8192 * 2);
    CHECK(op.ranks == 4);
    reductions += op.count;
  }
  CHECK(reductions == 2 * 80 + 1);
  CHECK(sum(whole, &Operator::message_bytes, OperatorClass::collective) == 0);
}

TEST_CASE("Decode attention reads the KV cache once, and its flops follow from heads and context") {
  const ShardedShape sharded = spread("llama-3.1-8b", {});
  const Operator op = decode_attention(sharded, sharded.layers[0], 8, 8 * 1000);
  CHECK(op.count == 32);
  CHECK(op.flops == 4.0 * 32 * 128 * 8000);
  CHECK(op.bytes == 131072.0 / 32 * 8000 + 8 * 2 * 32 * 128 * 2);

  const ShardedShape latent = spread("deepseek-v3", {});
  const Operator mla = decode_attention(latent, latent.layers[1], 1, 4096);
  CHECK(mla.flops == 2.0 * 128 * (2 * 512 + 64) * 4096);
}

TEST_CASE("Queries of a prompt attend to what is before them, within their window") {
  // Full: Σ (past + i) = new·past + new(new + 1)/2.
  const AttentionShape full{.kind = AttentionKind::full};
  CHECK(attended_pairs(full, 100, 0) == 5050);
  CHECK(attended_pairs(full, 100, 1000) == 105'050);
  AttentionShape limited{.kind = AttentionKind::sliding, .window_tokens = 7};
  for (const AttentionKind kind : {AttentionKind::full, AttentionKind::sliding, AttentionKind::chunked}) {
    limited.kind = kind;
    for (const std::int64_t past : {0, 3, 7, 20}) {
      double one_by_one = 0;
      for (std::int64_t i = 1; i <= 30; ++i) one_by_one += static_cast<double>(attended_tokens(limited, past + i));
      CHECK(attended_pairs(limited, 30, past) == one_by_one);
    }
  }
}
