#include <string>

#include "models/llm/hf_config.h"
#include "models/llm/model_shape.h"
#include "tests/support/catch.h"

// Families whose configurations leave things to their class, stand in a text part, or cannot be told in our shapes.

using namespace rackwright;
using namespace rackwright::llm;

namespace {

ModelShape parsed(const std::string& text) {
  Diagnostics findings;
  const auto model = parse_hf_config({"x.json", text}, nullptr, findings);
  for (const Diagnostic& finding : findings.all()) UNSCOPED_INFO(to_string(finding));
  REQUIRE(model);
  return *model;
}

std::string refusal(const std::string& text) {
  Diagnostics findings;
  CHECK_FALSE(parse_hf_config({"x.json", text}, nullptr, findings));
  REQUIRE(findings.has_errors());
  return findings.all()[0].message;
}

double billions(const ModelShape& model) { return static_cast<double>(parameters(model).total()) / 1e9; }

int windowed_layers(const ModelShape& model) {
  int count = 0;
  for (const int layer : layer_order(model)) count += model.layers[static_cast<std::size_t>(layer)].attention.kind == AttentionKind::sliding ? 1 : 0;
  return count;
}

}  // namespace

TEST_CASE("Gemma 3 takes from its class what the text part leaves out, and attends to everything in every sixth layer") {
  const ModelShape gemma = parsed(R"({"architectures": ["Gemma3ForConditionalGeneration"], "model_type": "gemma3", "torch_dtype": "bfloat16",
    "text_config": {"hidden_size": 2560, "intermediate_size": 10240, "model_type": "gemma3_text", "num_hidden_layers": 34, "sliding_window": 1024},
    "vision_config": {"hidden_size": 1152}})");
  // Technical report, table 1: 3,209M without the embedding, which has 262,208 rows of 2,560.
  CHECK(billions(gemma) == Approx(3.209 + 262'208 * 2560 / 1e9).epsilon(0.001));
  CHECK(gemma.layers[0].attention.query_heads == 8);
  CHECK(gemma.layers[0].attention.kv_heads == 4);
  CHECK(gemma.layers[0].attention.head_dim == 256);
  CHECK(gemma.layers[0].attention.window_tokens == 1024);
  CHECK(gemma.tied_embeddings);
  // 34 layers less the 6th, 12th, 18th, 24th and 30th.
  CHECK(windowed_layers(gemma) == 29);
}

TEST_CASE("Gemma 2 slides in every other layer") {
  const ModelShape gemma = parsed(R"({"model_type": "gemma2", "torch_dtype": "float32", "hidden_size": 3584, "intermediate_size": 14336, "num_hidden_layers": 42,
    "num_attention_heads": 16, "num_key_value_heads": 8, "head_dim": 256, "vocab_size": 256000, "sliding_window": 4096})");
  CHECK(billions(gemma) == Approx(9.24).epsilon(0.001));  // Model card: 9.24B.
  CHECK(windowed_layers(gemma) == 21);
}

TEST_CASE("Phi-4 and GLM-4.5-Air count as many parameters as their model cards say") {
  const ModelShape phi = parsed(R"({"architectures": ["Phi3ForCausalLM"], "model_type": "phi3", "torch_dtype": "bfloat16", "hidden_size": 5120, "intermediate_size": 17920,
    "num_hidden_layers": 40, "num_attention_heads": 40, "num_key_value_heads": 10, "vocab_size": 100352, "sliding_window": null, "tie_word_embeddings": false})");
  CHECK(billions(phi) == Approx(14.7).epsilon(0.005));
  const ModelShape glm = parsed(R"({"architectures": ["Glm4MoeForCausalLM"], "model_type": "glm4_moe", "torch_dtype": "bfloat16", "hidden_size": 4096,
    "intermediate_size": 10944, "moe_intermediate_size": 1408, "n_routed_experts": 128, "n_shared_experts": 1, "num_experts_per_tok": 8, "first_k_dense_replace": 1,
    "num_hidden_layers": 46, "num_attention_heads": 96, "num_key_value_heads": 8, "head_dim": 128, "vocab_size": 151552, "attention_bias": true, "use_qk_norm": false})");
  CHECK(billions(glm) == Approx(106.8).epsilon(0.005));  // Card: 106B without its MTP module.
  CHECK(glm.layers[0].feed_forward.experts == 0);
}

TEST_CASE("A text part says itself which family it is of") {
  const std::string inner = R"("hidden_size": 64, "vocab_size": 100, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 128}})";
  for (const char* types : {R"({"model_type": "mistral3", "torch_dtype": "bfloat16", "text_config": {"model_type": "mistral", )",
                            R"({"model_type": "llava", "torch_dtype": "bfloat16", "text_config": {"model_type": "llama", )",
                            R"({"model_type": "qwen3_vl", "torch_dtype": "bfloat16", "text_config": {"model_type": "qwen3_vl_text", )"})
    CHECK(parsed(types + inner).hidden == 64);
}

TEST_CASE("A model that our shapes cannot tell is refused with the reason") {
  CHECK(refusal(R"({"model_type": "falcon"})") == "models of type 'falcon' are not modelled: its feed-forward networks have no gate");
  CHECK(refusal(R"({"model_type": "nemotron_h"})") == "models of type 'nemotron_h' are not modelled: it has layers without attention");
  CHECK(refusal(R"({"model_type": "deepseek_v32"})") == "models of type 'deepseek_v32' are not modelled: an indexer chooses the tokens that it attends to");
}

TEST_CASE("A key that is given twice is refused, not chosen from") {
  CHECK(refusal(R"({"model_type": "llama", "hidden_size": 64, "hidden_size": 128})") == "the key is given twice in one object");
}

TEST_CASE("Modules that an expression names are left unquantized") {
  const auto quantized = [](const std::string& ignored) {
    return parsed(R"({"model_type": "llama", "torch_dtype": "bfloat16", "hidden_size": 256, "vocab_size": 100, "num_hidden_layers": 2, "num_attention_heads": 4,
      "intermediate_size": 512, "quantization_config": {"quant_method": "compressed-tensors", "config_groups": {"group_0": {"weights": {"num_bits": 8, "type": "float"}}},
      "ignore": [)" + ignored + "]}}");
  };
  CHECK(quantized(R"("lm_head")").weights.attention == WeightFormat::fp8);
  const ModelShape kept = quantized(R"("re:.*self_attn.*")");
  CHECK(kept.weights.attention == WeightFormat::bf16);
  CHECK(kept.weights.attention_output == WeightFormat::bf16);
  CHECK(kept.weights.feed_forward == WeightFormat::fp8);
}
