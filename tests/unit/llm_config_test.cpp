#include <algorithm>
#include <cmath>

#include "models/base/invariant.h"
#include "models/llm/hf_config.h"
#include "models/llm/model_shape.h"
#include "tests/support/catch.h"
#include "tests/support/shared_data.h"

using namespace rackwright;
using namespace rackwright::llm;

namespace {

ModelShape import(const std::string& file) {
  Diagnostics findings;
  const auto model = import_hf_config(test::shared_data("models/hf-config") / file, findings);
  for (const Diagnostic& finding : findings.all()) UNSCOPED_INFO(to_string(finding));
  REQUIRE(model);
  return *model;
}

/// The findings about a text that is not imported.
Diagnostics refuse(const std::string& text) {
  Diagnostics findings;
  CHECK_FALSE(parse_hf_config({"x.json", text}, nullptr, findings));
  REQUIRE(findings.has_errors());
  return findings;
}

std::string llama(const std::string& more) {
  return R"({"model_type": "llama", "architectures": ["LlamaForCausalLM"], "torch_dtype": "bfloat16", "hidden_size": 64,
 "vocab_size": 100, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 128)" + more + "}";
}

}  // namespace

TEST_CASE("Every shared configuration counts as many parameters as its model card says") {
  // Published totals, in billions, of the text model without MTP modules and vision towers.
  const auto [file, published] = GENERATE(table<std::string, double>({
      {"llama-2-7b-hf.config.json", 6.738},                                  // arXiv:2307.09288; checkpoint
      {"llama-3.1-8b-instruct.config.json", 8.030},
      {"llama-3.1-70b-instruct.config.json", 70.554},
      {"meta-llama--Meta-Llama-3.1-405B_config.json", 405.85},
      {"mistral-nemo-instruct-2407.config.json", 12.25},
      {"mixtral-8x7b-v0.1.config.json", 46.70},                              // arXiv:2401.04088: 47B
      {"qwen2.5-7b-instruct.config.json", 7.616},                            // arXiv:2412.15115: 7.61B
      {"qwen3-14b.config.json", 14.768},                                     // model card: 14.8B
      {"Qwen--Qwen3-32B_config.json", 32.762},                               // model card: 32.8B
      {"Qwen--Qwen3-32B-FP8_config.json", 32.762},
      {"qwen3-30b-a3b.config.json", 30.532},                                 // model card: 30.5B
      {"Qwen--Qwen3-235B-A22B_config.json", 235.09},                         // model card: 235B
      {"deepseek-v2-lite.config.json", 15.71},                               // model card: 15.7B
      {"deepseek-ai--DeepSeek-V3_config.json", 671.03},                      // arXiv:2412.19437: 671B
      {"nvidia--DeepSeek-V3.1-NVFP4_config.json", 671.03},
      {"moonshotai--Kimi-K2-Instruct_config.json", 1026.4},                  // arXiv:2507.20534: 1.04T with rounding up
      {"openai--gpt-oss-120b_config.json", 116.83},                          // arXiv:2508.10925, table 1
      {"meta-llama--Llama-4-Scout-17B-16E-Instruct_config.json", 107.77},    // model card: 109B with its vision tower
      {"google--gemma-4-26B-A4B_config.json", 25.2}}));                      // model card: 25.2B
  CAPTURE(file);
  const ModelShape model = import(file);
  CHECK(static_cast<double>(parameters(model).total()) * 1e-9 == Approx(published).epsilon(0.01));
}

TEST_CASE("A token passes as many parameters as the model card says") {
  const auto [file, published] = GENERATE(table<std::string, double>({
      {"llama-2-7b-hf.config.json", 6.607},                     // All but the embedding table.
      {"mixtral-8x7b-v0.1.config.json", 12.75},                 // arXiv:2401.04088: 13B
      {"qwen3-30b-a3b.config.json", 3.04},                      // model card: 3.3B with the embedding (0.31B)
      {"openai--gpt-oss-120b_config.json", 5.13},               // arXiv:2508.10925, table 1
      {"deepseek-ai--DeepSeek-V3_config.json", 36.6},           // arXiv:2412.19437: 37B with the embedding (0.93B)
      {"meta-llama--Llama-4-Scout-17B-16E-Instruct_config.json", 16.1}}));  // model card: 17B with the embedding (1.03B)
  CAPTURE(file);
  CHECK(static_cast<double>(active_parameters(import(file))) * 1e-9 == Approx(published).epsilon(0.01));
}

TEST_CASE("A token adds to the KV cache what the formulas say") {
  // 2·L·n_kv·d·e for grouped heads, L·(r + d_rope)·e for a latent row: DeepSeek-V3 61·576·2.
  const auto [file, bytes] = GENERATE(table<std::string, double>({
      {"deepseek-ai--DeepSeek-V3_config.json", 70272}, {"meta-llama--Meta-Llama-3.1-405B_config.json", 516096},
      {"Qwen--Qwen3-235B-A22B_config.json", 192512}, {"llama-3.1-8b-instruct.config.json", 131072},
      {"llama-2-7b-hf.config.json", 524288}, {"nvidia--DeepSeek-V3.1-NVFP4_config.json", 35136}}));
  CAPTURE(file);
  CHECK(kv_bytes_per_token(import(file)) == bytes);
}

TEST_CASE("Layers with a window keep at most that many tokens") {
  // gpt-oss-120b: 36 layers of 2·8·64·2 = 2,048 B; 18 keep 128 tokens at most.
  const ModelShape model = import("openai--gpt-oss-120b_config.json");
  CHECK(model.repeats == 18);
  REQUIRE(model.layers.size() == 2);
  CHECK(model.layers[0].attention.window_tokens == 128);
  CHECK(kv_bytes_per_token(model) == 36 * 2048);
  CHECK(kv_bytes(model, 100) == 36 * 2048 * 100);
  CHECK(kv_bytes(model, 10'000) == 18 * 2048 * (10'000 + 128));
}

TEST_CASE("Layers of several kinds are read in order") {
  const ModelShape deepseek = import("deepseek-ai--DeepSeek-V3_config.json");
  REQUIRE(deepseek.layers.size() == 2);
  CHECK(deepseek.layers[0].count == 3);
  CHECK(deepseek.layers[0].feed_forward.dense_width == 18432);
  CHECK(deepseek.layers[1].count == 58);
  CHECK(deepseek.layers[1].feed_forward.shared_width == 2048);
  CHECK(deepseek.mtp_layers == 1);
  // 685B with the module, whose embedding and head are shared: 671.03 + 11.6.
  CHECK(static_cast<double>(mtp_parameters(deepseek)) * 1e-9 == Approx(11.6).epsilon(0.01));

  const ModelShape scout = import("meta-llama--Llama-4-Scout-17B-16E-Instruct_config.json");
  CHECK(scout.repeats == 12);
  CHECK(scout.layers[0].count == 3);
  CHECK(scout.layers[0].attention.kind == AttentionKind::chunked);
  CHECK(scout.layers[1].attention.kind == AttentionKind::full);

  const ModelShape gemma = import("google--gemma-4-26B-A4B_config.json");
  CHECK(gemma.repeats == 5);
  CHECK(gemma.layers[0].count == 5);
  CHECK(gemma.layers[0].attention.head_dim == 256);
  CHECK(gemma.layers[1].attention.head_dim == 512);
  CHECK(gemma.layers[1].attention.kv_heads == 2);
  CHECK(gemma.tied_embeddings);
  CHECK(layer_count(gemma) == 30);
}

TEST_CASE("Quantized groups of weights get their format, the others keep theirs") {
  const ModelShape gpt = import("openai--gpt-oss-120b_config.json");
  CHECK(gpt.weights.experts == WeightFormat::mxfp4);
  CHECK(gpt.weights.attention == WeightFormat::bf16);
  CHECK(gpt.weights.lm_head == WeightFormat::bf16);
  // The published checkpoint is 60.8 GiB (arXiv:2508.10925, table 1).
  CHECK(weight_bytes(parameters(gpt), gpt.weights) / (1 << 30) == Approx(60.8).epsilon(0.01));

  const ModelShape fp8 = import("Qwen--Qwen3-32B-FP8_config.json");
  CHECK(fp8.weights.feed_forward == WeightFormat::fp8_block128);
  CHECK(fp8.weights.lm_head == WeightFormat::bf16);

  const ModelShape nvfp4 = import("nvidia--DeepSeek-V3.1-NVFP4_config.json");
  CHECK(nvfp4.weights.attention == WeightFormat::bf16);
  CHECK(nvfp4.weights.attention_output == WeightFormat::nvfp4);
  CHECK(nvfp4.weights.experts == WeightFormat::nvfp4);
  CHECK(nvfp4.weights.lm_head == WeightFormat::bf16);
  CHECK(nvfp4.kv == hardware::NumberFormat::fp8);
}

TEST_CASE("A configuration that contradicts itself is reported, not repaired") {
  Diagnostics findings;
  CHECK_FALSE(import_hf_config(test::shared_data("models/hf-config") / "altered-qwen3-235b.negative.json", findings));
  REQUIRE(findings.error_count() == 1);
  CHECK(findings.all()[0].message == "model_type 'qwen2_moe' contradicts architectures 'Qwen3MoeForCausalLM', which is 'qwen3_moe'");
  CHECK(findings.all()[0].where.line == 17);
}

TEST_CASE("An explicit head_dim holds against hidden size over heads, and a missing one is derived") {
  Diagnostics findings;
  const auto derived = parse_hf_config({"x.json", llama("")}, nullptr, findings);
  REQUIRE(derived);
  CHECK(derived->layers[0].attention.head_dim == 16);
  CHECK(derived->layers[0].attention.kv_heads == 4);
  const auto stated = parse_hf_config({"x.json", llama(R"(, "head_dim": 40, "num_key_value_heads": 2)")}, nullptr, findings);
  REQUIRE(stated);
  CHECK(stated->layers[0].attention.head_dim == 40);
  CHECK(stated->layers[0].attention.kv_heads == 2);
  CHECK(findings.all().empty());
}

TEST_CASE("A window that is switched off slides nothing; one that is on slides the upper layers") {
  const std::string qwen = R"({"model_type": "qwen2", "torch_dtype": "bfloat16", "hidden_size": 64, "vocab_size": 100,
    "num_hidden_layers": 4, "num_attention_heads": 4, "intermediate_size": 128, "sliding_window": 32, "max_window_layers": 3,
    "use_sliding_window": )";
  Diagnostics findings;
  const auto off = parse_hf_config({"x.json", qwen + "false}"}, nullptr, findings);
  REQUIRE(off);
  CHECK(off->layers.size() == 1);
  const auto on = parse_hf_config({"x.json", qwen + "true}"}, nullptr, findings);
  REQUIRE(on);
  REQUIRE(on->layers.size() == 2);
  CHECK(on->layers[0].count == 3);
  CHECK(on->layers[1].attention.window_tokens == 32);
}

TEST_CASE("A missing data type is said, and what is not understood is listed") {
  std::string text = llama(R"(, "new_mixer_width": 7, "rope_theta": 10000)");
  text.replace(text.find("\"torch_dtype\": \"bfloat16\","), 26, "");
  Diagnostics findings;
  REQUIRE(parse_hf_config({"x.json", text}, nullptr, findings));
  REQUIRE(findings.warning_count() == 2);
  CHECK(findings.all()[0].message == "no data type is given; bf16 is assumed for what is not quantized");
  CHECK(findings.all()[1].message == "not understood and left out of the shape: new_mixer_width");
}

TEST_CASE("A wrong configuration is refused with the line and what is expected") {
  CHECK(refuse("{\n \"model_type\": \"llama\",\n").all()[0].where.line == 3);
  CHECK(refuse("[1]").all()[0].message == "a JSON object is expected");
  CHECK(refuse("").all()[0].message == "this is not valid JSON");
  CHECK(refuse("{}").all()[0].message == "'model_type' is missing");
  CHECK(refuse(R"({"model_type": "lama"})").all()[0].hint == "did you mean 'llama'?");
  CHECK(refuse(llama(R"(, "head_dim": "128")")).all()[0].message == "a whole number is expected, not \"128\"");
  CHECK(refuse(llama(R"(, "num_key_value_heads": 3)")).all()[0].message == "4 query heads cannot share 3 KV heads evenly");
  CHECK(refuse(llama(R"(, "num_key_value_heads": 0)")).all()[0].where.line == 2);
  CHECK(refuse(llama(R"(, "layer_types": ["full_attention"])")).all()[0].message == "1 layer types for 2 layers");
  CHECK(refuse(llama(R"(, "quantization_config": {"quant_method": "magic"})")).all()[0].message ==
        "quantization method 'magic' is not known");
  std::string other_type = llama("");
  other_type.replace(other_type.find("bfloat16"), 8, "float8");
  CHECK(refuse(other_type).all()[0].hint == "known: bfloat16, float16, float32");
  // Absurd dimensions are refused before anything is counted with them.
  CHECK(refuse(llama(R"(, "head_dim": 999999999)")).error_count() == 2);
  CHECK(refuse(llama(R"(, "head_dim": 9000000)")).all()[0].message ==
        "the width of all heads is 108000000: between 1 and 10000000 is expected");
  // All findings of one pass, not the first.
  CHECK(refuse(R"({"model_type": "llama", "torch_dtype": "bfloat16"})").error_count() == 3);
}

TEST_CASE("A missing file is the environment's failure") {
  Diagnostics findings;
  CHECK_THROWS_AS(import_hf_config("/nonexistent/config.json", findings), EnvironmentError);
}
