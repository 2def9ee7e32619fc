#include "tests/support/model_preset.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <map>
#include <stdexcept>

#include <yaml-cpp/yaml.h>

namespace rackwright::test {
namespace {

using namespace llm;

using Setters = std::map<std::string, std::function<void(const YAML::Node&)>>;

void read(const YAML::Node& map, const Setters& setters) {
  for (const auto& entry : map) {
    const auto setter = setters.find(entry.first.as<std::string>());
    if (setter == setters.end()) throw std::runtime_error("unknown key " + entry.first.as<std::string>());
    setter->second(entry.second);
  }
}

template <typename T>
std::function<void(const YAML::Node&)> into(T& field) {
  return [&field](const YAML::Node& node) { field = node.as<T>(); };
}

std::function<void(const YAML::Node&)> into_format(WeightFormat& field) {
  return [&field](const YAML::Node& node) { field = weight_format(node.as<std::string>()).value(); };
}

template <typename Enum, std::size_t Count>
std::function<void(const YAML::Node&)> into_enum(Enum& field, const std::array<Enum, Count>& values) {
  return [&field, &values](const YAML::Node& node) {
    const auto found = std::ranges::find_if(values, [&](Enum value) { return to_string(value) == node.as<std::string>(); });
    if (found == values.end()) throw std::runtime_error("unknown value " + node.as<std::string>());
    field = *found;
  };
}

constexpr std::array attention_kinds{AttentionKind::full, AttentionKind::sliding, AttentionKind::chunked, AttentionKind::latent};
constexpr std::array number_formats{hardware::NumberFormat::fp32, hardware::NumberFormat::bf16, hardware::NumberFormat::fp16,
                                    hardware::NumberFormat::fp8};

LayerShape read_layer(const YAML::Node& node) {
  LayerShape layer;
  AttentionShape& a = layer.attention;
  FeedForwardShape& f = layer.feed_forward;
  const Setters attention{{"kind", into_enum(a.kind, attention_kinds)}, {"query_heads", into(a.query_heads)},
                          {"kv_heads", into(a.kv_heads)}, {"head_dim", into(a.head_dim)},
                          {"window_tokens", into(a.window_tokens)}, {"query_rank", into(a.query_rank)},
                          {"kv_rank", into(a.kv_rank)}, {"rope_head_dim", into(a.rope_head_dim)},
                          {"nope_head_dim", into(a.nope_head_dim)}, {"value_head_dim", into(a.value_head_dim)},
                          {"qkv_bias", into(a.qkv_bias)}, {"output_bias", into(a.output_bias)},
                          {"qk_norm", into(a.qk_norm)}, {"sinks", into(a.sinks)},
                          {"keys_are_values", into(a.keys_are_values)}};
  const Setters feed_forward{{"dense_width", into(f.dense_width)}, {"experts", into(f.experts)},
                             {"experts_per_token", into(f.experts_per_token)}, {"expert_width", into(f.expert_width)},
                             {"shared_width", into(f.shared_width)}, {"shared_gate", into(f.shared_gate)},
                             {"expert_bias", into(f.expert_bias)}};
  read(node, {{"count", into(layer.count)}, {"norms", into(layer.norms)},
              {"attention", [&](const YAML::Node& n) { read(n, attention); }},
              {"feed_forward", [&](const YAML::Node& n) { read(n, feed_forward); }}});
  return layer;
}

std::filesystem::path preset_folder() { return std::filesystem::path(RACKWRIGHT_SOURCE_DIR) / "models/llm/presets"; }

}  // namespace

ModelShape model_preset(const std::string& name) {
  ModelShape model;
  WeightFormats& w = model.weights;
  const Setters weights{{"attention", into_format(w.attention)}, {"attention_output", into_format(w.attention_output)},
                        {"feed_forward", into_format(w.feed_forward)}, {"experts", into_format(w.experts)},
                        {"lm_head", into_format(w.lm_head)}, {"other", into_format(w.other)}};
  read(YAML::LoadFile((preset_folder() / (name + ".yaml")).string()),
       {{"name", into(model.name)}, {"source", into(model.source)}, {"hidden", into(model.hidden)},
        {"vocabulary", into(model.vocabulary)}, {"tied_embeddings", into(model.tied_embeddings)},
        {"max_context_tokens", into(model.max_context_tokens)}, {"repeats", into(model.repeats)},
        {"mtp_layers", into(model.mtp_layers)}, {"kv", into_enum(model.kv, number_formats)},
        {"activations", into_enum(model.activations, number_formats)},
        {"weights", [&](const YAML::Node& n) { read(n, weights); }},
        {"layers", [&](const YAML::Node& n) { for (const YAML::Node& layer : n) model.layers.push_back(read_layer(layer)); }}});
  return model;
}

std::vector<std::string> model_preset_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(preset_folder())) names.push_back(entry.path().stem().string());
  std::ranges::sort(names);
  return names;
}

}  // namespace rackwright::test
