#include "models/cost/memory_plan.h"
#include "tests/support/catch.h"
#include "tests/support/devices.h"
#include "tests/support/model_preset.h"

using namespace rackwright;
using namespace rackwright::cost;

namespace {

std::optional<MemoryPlan> plan(const std::string& preset, const llm::Parallelism& parallelism, const MemorySpec& spec, Diagnostics& findings) {
  const llm::ShardedShape sharded = llm::shard(test::model_preset(preset), parallelism, {}, "", findings);
  return memory_plan(sharded, test::h200(), spec, {"s.yaml", 5, 1}, "deployment[0]", findings);
}

}  // namespace

TEST_CASE("What weights, activations and runtime leave becomes KV blocks") {
  Diagnostics findings;
  const auto memory = plan("llama-3.1-8b", {}, {}, findings);
  REQUIRE(memory);
  CHECK(memory->weight_bytes == Approx(16.06e9).epsilon(0.001));
  CHECK(memory->kv_block_bytes == 16 * 131072);
  CHECK(memory->kv_tokens == memory->kv_blocks * 16);
  const double left = 0.9 * 141e9 - memory->weight_bytes - memory->activation_bytes - memory->runtime_bytes;
  CHECK(memory->kv_bytes <= left);
  CHECK(memory->kv_bytes > left - memory->kv_block_bytes);
}

TEST_CASE("gpt-oss-120b holds 1.996 times the sequences of 64 Ki tokens when the rows behind its windows are freed") {
  // Half of its layers keep 128 tokens: 2 · 4,096 half-blocks become 4,096 + 9. A peer had charged 1.996 times too much.
  Diagnostics findings;
  const llm::ModelShape model = test::model_preset("gpt-oss-120b");
  const auto sequences = [&](llm::WindowedRows rows) {
    const llm::KvLayout layout = llm::kv_layout(model, 16, rows);
    const auto memory = plan("gpt-oss-120b", {}, {.kv_layout = layout}, findings);
    REQUIRE(memory);
    return static_cast<double>(memory->kv_blocks) / static_cast<double>(layout.blocks_for(65'536));
  };
  CHECK(sequences(llm::WindowedRows::freed) / sequences(llm::WindowedRows::kept) == Approx(2.0 * 4096 / (4096 + 9)).epsilon(1e-4));
}

TEST_CASE("Activations are estimated within five percent of what vLLM logged for Llama-3-8B") {
  // 1.26 GiB with 8,192 tokens and 256 sequences, whether on one device or two.
  Diagnostics findings;
  const int tensor = GENERATE(1, 2);
  CHECK(plan("llama-3-8b", {.tensor = tensor}, {}, findings)->activation_bytes / (1 << 30) == Approx(1.26).epsilon(0.05));
}

TEST_CASE("The term that does not fit is named") {
  const auto message = [](const std::string& preset, const llm::Parallelism& parallelism, const MemorySpec& spec) {
    Diagnostics findings;
    REQUIRE_FALSE(plan(preset, parallelism, spec, findings));
    return findings.all().back().message;
  };
  CHECK(message("llama-3.1-70b", {}, {}).find("cannot hold the weights:") != std::string::npos);
  CHECK(message("llama-3.1-8b", {}, {.activation_bytes = 120e9}).find("cannot hold the activations beside the weights:") != std::string::npos);
  CHECK(message("llama-3.1-8b", {}, {.activation_bytes = 110.8e9}).find("runtime's buffers") != std::string::npos);
  CHECK(message("llama-3.1-8b", {}, {.kv_layout = 1 << 20}).find("cannot hold one block of KV cache:") != std::string::npos);
  Diagnostics findings;
  CHECK(plan("llama-3.1-70b", {.tensor = 2}, {}, findings));
}
