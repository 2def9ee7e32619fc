#include "models/llm/hf_config.h"
#include "models/llm/model_shape.h"
#include "tests/support/catch.h"
#include "tests/support/model_preset.h"
#include "tests/support/shared_data.h"

using namespace rackwright;
using namespace rackwright::llm;

TEST_CASE("Every preset counts as many parameters as its model card says") {
  // Published totals in billions, of the text model without MTP modules and vision towers.
  const std::vector<std::pair<std::string, double>> published{
      {"codellama-34b", 33.74}, {"deepseek-v2-lite", 15.7}, {"deepseek-v3", 671}, {"gemma-4-26b-a4b", 25.2}, {"gpt-oss-120b", 116.83},
      {"gpt-oss-20b", 20.91}, {"kimi-k2", 1026.4}, {"llama-2-13b", 13.02}, {"llama-2-70b", 68.98}, {"llama-2-7b", 6.74}, {"llama-3-70b", 70.6},
      {"llama-3-8b", 8.03}, {"llama-3.1-405b", 405.9}, {"llama-3.1-70b", 70.6}, {"llama-3.1-8b", 8.03},
      {"llama-3.3-70b", 70.6}, {"llama-4-scout", 107.8}, {"mistral-nemo", 12.2}, {"mixtral-8x22b", 140.6},
      {"mixtral-8x7b", 46.7}, {"qwen2.5-72b", 72.7}, {"qwen2.5-7b", 7.61}, {"qwen3-0.6b", 0.596}, {"qwen3-14b", 14.8},
      {"qwen3-235b-a22b", 235}, {"qwen3-30b-a3b", 30.5}, {"qwen3-32b", 32.8}, {"qwen3-8b", 8.19},
      {"step-3", 316}};
  const std::vector<std::string> names = test::model_preset_names();
  REQUIRE(names.size() == published.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    CAPTURE(names[i]);
    CHECK(names[i] == published[i].first);
    const ModelShape model = test::model_preset(names[i]);
    CHECK(model.name == names[i]);
    CHECK_FALSE(model.source.empty());
    CHECK(static_cast<double>(parameters(model).total()) * 1e-9 == Approx(published[i].second).epsilon(0.01));
  }
}

TEST_CASE("A token of a preset adds to the KV cache what is published") {
  const auto [name, bytes] = GENERATE(table<std::string, double>({
      {"deepseek-v3", 70272}, {"llama-3.1-405b", 516096}, {"qwen2.5-72b", 327680}, {"qwen3-8b", 147456}, {"step-3", 62464}}));
  CHECK(kv_bytes_per_token(test::model_preset(name)) == bytes);
}

TEST_CASE("A preset is what the model's own configuration says") {
  const auto [name, file] = GENERATE(table<std::string, std::string>({
      {"deepseek-v2-lite", "deepseek-v2-lite.config.json"}, {"deepseek-v3", "deepseek-ai--DeepSeek-V3_config.json"},
      {"gemma-4-26b-a4b", "google--gemma-4-26B-A4B_config.json"}, {"gpt-oss-120b", "openai--gpt-oss-120b_config.json"},
      {"kimi-k2", "moonshotai--Kimi-K2-Instruct_config.json"}, {"llama-2-7b", "llama-2-7b-hf.config.json"},
      {"llama-3.1-405b", "meta-llama--Meta-Llama-3.1-405B_config.json"},
      {"llama-3.1-70b", "llama-3.1-70b-instruct.config.json"}, {"llama-3.1-8b", "llama-3.1-8b-instruct.config.json"},
      {"llama-4-scout", "meta-llama--Llama-4-Scout-17B-16E-Instruct_config.json"},
      {"mistral-nemo", "mistral-nemo-instruct-2407.config.json"}, {"mixtral-8x7b", "mixtral-8x7b-v0.1.config.json"},
      {"qwen2.5-7b", "qwen2.5-7b-instruct.config.json"}, {"qwen3-14b", "qwen3-14b.config.json"},
      {"qwen3-235b-a22b", "Qwen--Qwen3-235B-A22B_config.json"}, {"qwen3-30b-a3b", "qwen3-30b-a3b.config.json"},
      {"qwen3-32b", "Qwen--Qwen3-32B_config.json"}}));
  CAPTURE(name);
  Diagnostics findings;
  auto imported = import_hf_config(test::shared_data("models/hf-config") / file, findings);
  REQUIRE(imported);
  const ModelShape preset = test::model_preset(name);
  imported->name = preset.name;
  imported->source = preset.source;
  CHECK(*imported == preset);
}
