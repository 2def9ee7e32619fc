#include "models/llm/hf_layers.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "models/base/names.h"

namespace rackwright::llm {
namespace {

using Attention = Family::Attention;
using FeedForward = Family::FeedForward;

/// What the classes of Hugging Face Transformers 4.46 to 5.5 build for each model type.
constexpr std::array families{
    Family{.model_type = "llama", .architecture = "LlamaForCausalLM"},
    Family{.model_type = "granite", .architecture = "GraniteForCausalLM"},
    Family{.model_type = "mistral", .architecture = "MistralForCausalLM", .slides_everywhere = true},
    Family{.model_type = "mixtral", .architecture = "MixtralForCausalLM", .feed_forward = FeedForward::mixtral, .slides_everywhere = true},
    Family{.model_type = "phi3", .architecture = "Phi3ForCausalLM", .slides_everywhere = true},
    Family{.model_type = "qwen2", .architecture = "Qwen2ForCausalLM", .qkv_bias = true},
    Family{.model_type = "qwen2_moe", .architecture = "Qwen2MoeForCausalLM", .feed_forward = FeedForward::qwen, .qkv_bias = true},
    Family{.model_type = "qwen3", .architecture = "Qwen3ForCausalLM", .qk_norm = true},
    Family{.model_type = "qwen3_moe", .architecture = "Qwen3MoeForCausalLM", .feed_forward = FeedForward::qwen, .qk_norm = true},
    Family{.model_type = "deepseek_v2", .architecture = "DeepseekV2ForCausalLM", .attention = Attention::latent, .feed_forward = FeedForward::deepseek},
    Family{.model_type = "deepseek_v3", .architecture = "DeepseekV3ForCausalLM", .attention = Attention::latent, .feed_forward = FeedForward::deepseek},
    Family{.model_type = "kimi_k2", .architecture = "DeepseekV3ForCausalLM", .attention = Attention::latent, .feed_forward = FeedForward::deepseek},
    Family{.model_type = "glm4_moe", .architecture = "Glm4MoeForCausalLM", .feed_forward = FeedForward::deepseek, .qk_norm_is_stated = true},
    Family{.model_type = "gpt_oss", .architecture = "GptOssForCausalLM", .feed_forward = FeedForward::gpt_oss},
    Family{.model_type = "llama4", .architecture = "Llama4ForConditionalGeneration", .feed_forward = FeedForward::llama4},
    Family{.model_type = "gemma", .architecture = "GemmaForCausalLM", .tied_by_default = true},
    Family{.model_type = "gemma2", .architecture = "Gemma2ForCausalLM", .norms = 4, .tied_by_default = true, .full_every = 2, .defaults = {.window = 4096}},
    Family{.model_type = "gemma3", .architecture = "Gemma3ForConditionalGeneration", .qk_norm = true, .norms = 4, .tied_by_default = true, .full_every = 6,
           .defaults = {.vocabulary = 262'208, .query_heads = 8, .kv_heads = 4, .head_dim = 256, .window = 4096}},
    Family{.model_type = "gemma4", .architecture = "Gemma4ForConditionalGeneration", .feed_forward = FeedForward::gemma4, .qk_norm = true, .norms = 4, .tied_by_default = true},
};

/// Other names of the same language model: with a vision tower beside it, or of another generation.
struct Alias {
  std::string_view model_type;
  std::string_view family;
};
constexpr std::array aliases{Alias{"qwen2_vl", "qwen2"},       Alias{"qwen2_5_vl", "qwen2"}, Alias{"qwen3_vl", "qwen3"},
                             Alias{"qwen3_vl_moe", "qwen3_moe"}, Alias{"mistral3", "mistral"}, Alias{"ministral3", "mistral"}};

/// Model types that people try and that cannot be told in these shapes.
struct NotModelled {
  std::string_view model_type;
  std::string_view why;
};
constexpr std::string_view no_gate = "its feed-forward networks have no gate";
constexpr std::string_view no_attention = "it has layers without attention";
constexpr std::string_view indexed = "an indexer chooses the tokens that it attends to";
constexpr std::array not_modelled{
    NotModelled{"falcon", no_gate},         NotModelled{"phi", no_gate},         NotModelled{"gpt2", no_gate},        NotModelled{"gpt_neox", no_gate},
    NotModelled{"gptj", no_gate},           NotModelled{"bloom", no_gate},       NotModelled{"opt", no_gate},         NotModelled{"mpt", no_gate},
    NotModelled{"starcoder2", no_gate},     NotModelled{"nemotron", no_gate},    NotModelled{"mamba", no_attention},  NotModelled{"mamba2", no_attention},
    NotModelled{"jamba", no_attention},     NotModelled{"bamba", no_attention},  NotModelled{"lfm2", no_attention},   NotModelled{"falcon_h1", no_attention},
    NotModelled{"nemotron_h", no_attention}, NotModelled{"qwen3_next", no_attention}, NotModelled{"qwen3_5", no_attention}, NotModelled{"qwen3_5_moe", no_attention},
    NotModelled{"deepseek_v32", indexed},   NotModelled{"glm_moe_dsa", indexed}};

std::vector<std::string> known_types() {
  std::vector<std::string> names;
  for (const Family& family : families) names.emplace_back(family.model_type);
  return names;
}

int narrow(std::int64_t value) { return static_cast<int>(value); }  // The reader keeps values below 1e9.

/// A value that must be there, unless the class of the family has one.
std::int64_t required_or(ConfigReader& text, std::string_view key, int of_class) {
  if (of_class == 0) return text.required({key});
  return text.integer({key}, 1).value_or(of_class);
}

AttentionShape read_grouped_attention(const Family& family, ConfigReader& text, int hidden) {
  AttentionShape a;
  a.query_heads = narrow(required_or(text, "num_attention_heads", family.defaults.query_heads));
  a.kv_heads = narrow(text.integer({"num_key_value_heads"}, 1).value_or(family.defaults.kv_heads > 0 ? family.defaults.kv_heads : a.query_heads));
  if (const auto head_dim = text.integer({"head_dim", "attention_head_dim"}, 1)) {
    a.head_dim = narrow(*head_dim);
  } else if (family.defaults.head_dim > 0) {
    a.head_dim = family.defaults.head_dim;
  } else if (a.query_heads > 0) {
    if (hidden % a.query_heads != 0)
      text.error("num_attention_heads", fmt::format("hidden_size {} is not a multiple of {} heads, and there is no head_dim", hidden, a.query_heads));
    a.head_dim = hidden / a.query_heads;
  }
  const bool bias = text.boolean("attention_bias").value_or(false);
  a.qkv_bias = bias || family.qkv_bias;
  a.output_bias = bias;
  a.qk_norm = family.qk_norm_is_stated ? text.boolean("use_qk_norm").value_or(false) : family.qk_norm;
  a.sinks = family.feed_forward == FeedForward::gpt_oss;
  return a;
}

AttentionShape read_latent_attention(ConfigReader& text) {
  AttentionShape a;
  a.kind = AttentionKind::latent;
  a.query_heads = narrow(text.required({"num_attention_heads"}));
  a.query_rank = narrow(text.integer({"q_lora_rank"}).value_or(0));
  a.kv_rank = narrow(text.required({"kv_lora_rank"}));
  a.rope_head_dim = narrow(text.required({"qk_rope_head_dim"}));
  a.nope_head_dim = narrow(text.required({"qk_nope_head_dim"}));
  a.value_head_dim = narrow(text.required({"v_head_dim"}));
  return a;
}

/// Windows by `layer_types`, else by the family's own rule.
void read_windows(const Family& family, ConfigReader& text, std::vector<LayerShape>& layers) {
  const auto limit = [](AttentionShape& a, AttentionKind kind, std::int64_t tokens) {
    a.kind = kind;
    a.window_tokens = narrow(tokens);
  };
  const std::vector<std::string> types = text.strings("layer_types");
  const std::int64_t window = text.integer({"sliding_window"}).value_or(family.defaults.window);
  const std::int64_t chunk = text.integer({"attention_chunk_size"}, 1).value_or(0);
  if (!types.empty()) {
    if (types.size() != layers.size())
      text.error("layer_types", fmt::format("{} layer types for {} layers", types.size(), layers.size()));
    for (std::size_t i = 0; i < std::min(types.size(), layers.size()); ++i) {
      AttentionShape& a = layers[i].attention;
      if (types[i] == "sliding_attention" && window > 0) {
        limit(a, AttentionKind::sliding, window);
      } else if (types[i] == "chunked_attention" && chunk > 0) {
        limit(a, AttentionKind::chunked, chunk);
      } else if (types[i] != "full_attention") {
        text.error("layer_types", fmt::format("layer type '{}' is not known, or its window is not given", types[i]),
                   "known: full_attention, sliding_attention with sliding_window, chunked_attention with attention_chunk_size");
        return;
      }
    }
    return;
  }
  if (family.feed_forward == FeedForward::gpt_oss && window > 0) {
    text.error("layer_types", "'layer_types' is missing, so that the layers which slide are not known");
  } else if (family.feed_forward == FeedForward::llama4) {
    // Every fourth layer has no rotary embedding and attends to everything; the others to their chunk.
    const std::vector<std::int64_t> rope = text.integers("no_rope_layers");
    for (std::size_t i = 0; i < layers.size() && chunk > 0; ++i) {
      if (rope.empty() ? (i + 1) % 4 == 0 : i < rope.size() && rope[i] == 0) continue;
      limit(layers[i].attention, AttentionKind::chunked, chunk);
    }
  } else if (window > 0 && family.full_every > 0) {
    const std::int64_t every = text.integer({"sliding_window_pattern", "_sliding_window_pattern"}, 1).value_or(family.full_every);
    for (std::size_t i = 0; i < layers.size(); ++i)
      if (static_cast<std::int64_t>(i + 1) % every != 0) limit(layers[i].attention, AttentionKind::sliding, window);
  } else if (window > 0 && family.slides_everywhere) {
    for (LayerShape& layer : layers) limit(layer.attention, AttentionKind::sliding, window);
  } else if (window > 0 && text.boolean("use_sliding_window").value_or(false)) {
    const std::int64_t first = text.integer({"max_window_layers"}).value_or(0);
    for (std::size_t i = static_cast<std::size_t>(first); i < layers.size(); ++i)
      limit(layers[i].attention, AttentionKind::sliding, window);
  }
}

/// Gemma 4: full layers have their own heads, and one projection for keys and values.
void read_global_heads(ConfigReader& text, std::vector<LayerShape>& layers) {
  const auto head_dim = text.integer({"global_head_dim"}, 1);
  const auto kv_heads = text.integer({"num_global_key_value_heads"}, 1);
  const bool keys_are_values = text.boolean("attention_k_eq_v").value_or(false);
  for (LayerShape& layer : layers) {
    AttentionShape& a = layer.attention;
    if (a.kind != AttentionKind::full) continue;
    if (head_dim) a.head_dim = narrow(*head_dim);
    if (kv_heads) a.kv_heads = narrow(*kv_heads);
    a.keys_are_values = keys_are_values;
  }
}

FeedForwardShape read_experts(ConfigReader& text, std::int64_t width) {
  FeedForwardShape f;
  f.experts = narrow(text.required({"num_experts", "num_local_experts", "n_routed_experts", "num_routed_experts"}));
  f.experts_per_token = narrow(text.required({"num_experts_per_tok", "num_experts_per_token", "experts_per_token", "top_k_experts"}));
  f.expert_width = narrow(width);
  return f;
}

void read_qwen_feed_forward(ConfigReader& text, std::vector<LayerShape>& layers) {
  FeedForwardShape sparse = read_experts(text, text.required({"moe_intermediate_size"}));
  sparse.shared_width = narrow(text.integer({"shared_expert_intermediate_size"}).value_or(0));
  sparse.shared_gate = sparse.shared_width > 0;
  const std::int64_t every = text.integer({"decoder_sparse_step"}, 1).value_or(1);
  const std::vector<std::int64_t> dense_layers = text.integers("mlp_only_layers");
  const auto width = text.integer({"intermediate_size"}, 1);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const auto number = static_cast<std::int64_t>(i);
    const bool dense = std::ranges::find(dense_layers, number) != dense_layers.end() || (number + 1) % every != 0;
    if (dense) layers[i].feed_forward.dense_width = narrow(width.value_or(0));
    else layers[i].feed_forward = sparse;
    if (dense && !width) text.required({"intermediate_size"});
  }
}

void read_deepseek_feed_forward(ConfigReader& text, std::vector<LayerShape>& layers) {
  const std::int64_t dense_width = text.required({"intermediate_size"});
  const std::int64_t expert_width = text.required({"moe_intermediate_size"});
  FeedForwardShape sparse = read_experts(text, expert_width);
  const std::int64_t shared = text.integer({"n_shared_experts", "num_shared_experts"}).value_or(0);
  sparse.shared_width = narrow(std::min<std::int64_t>(shared * expert_width, 1'000'000'000));
  const auto first = text.integer({"first_k_dense_replace"}).value_or(0);
  const auto every = text.integer({"moe_layer_freq"}, 1).value_or(1);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const auto number = static_cast<std::int64_t>(i);
    if (number >= first && number % every == 0) layers[i].feed_forward = sparse;
    else layers[i].feed_forward.dense_width = narrow(dense_width);
  }
}

void read_llama4_feed_forward(ConfigReader& text, std::vector<LayerShape>& layers) {
  const std::int64_t expert_width = text.required({"intermediate_size"});
  const std::int64_t dense_width = text.required({"intermediate_size_mlp"});
  FeedForwardShape sparse = read_experts(text, expert_width);
  sparse.shared_width = sparse.expert_width;  // One shared expert, as wide as the others.
  const std::int64_t every = text.integer({"interleave_moe_layer_step"}, 1).value_or(1);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if ((static_cast<std::int64_t>(i) + 1) % every == 0) layers[i].feed_forward = sparse;
    else layers[i].feed_forward.dense_width = narrow(dense_width);
  }
}

void read_gemma4_feed_forward(ConfigReader& text, std::vector<LayerShape>& layers) {
  FeedForwardShape f;
  const std::int64_t dense_width = text.required({"intermediate_size"});
  // Experts stand beside the dense network, which every token passes too.
  if (text.boolean("enable_moe_block").value_or(false)) f = read_experts(text, text.required({"moe_intermediate_size"}));
  f.dense_width = narrow(dense_width);
  for (LayerShape& layer : layers) layer.feed_forward = f;
  for (const std::string_view key : {"num_kv_shared_layers", "hidden_size_per_layer_input"})
    if (text.integer({key}).value_or(0) > 0) text.error(key, fmt::format("'{}' above 0 is not modelled", key));
  if (text.boolean("use_double_wide_mlp").value_or(false)) text.error("use_double_wide_mlp", "wider shared layers are not modelled");
}

void read_feed_forward(const Family& family, ConfigReader& text, std::vector<LayerShape>& layers) {
  const auto all = [&](const FeedForwardShape& f) { for (LayerShape& layer : layers) layer.feed_forward = f; };
  switch (family.feed_forward) {
    case FeedForward::dense: all({.dense_width = narrow(text.required({"intermediate_size"}))}); return;
    case FeedForward::mixtral: all(read_experts(text, text.required({"intermediate_size"}))); return;
    case FeedForward::qwen: read_qwen_feed_forward(text, layers); return;
    case FeedForward::deepseek: read_deepseek_feed_forward(text, layers); return;
    case FeedForward::llama4: read_llama4_feed_forward(text, layers); return;
    case FeedForward::gemma4: read_gemma4_feed_forward(text, layers); return;
    case FeedForward::gpt_oss:
      FeedForwardShape f = read_experts(text, text.required({"intermediate_size"}));
      f.expert_bias = true;
      all(f);
      return;
  }
}

/// Writes a list of layers as its shortest repeating pattern, with runs of equal layers joined.
void fold(const std::vector<LayerShape>& layers, ModelShape& model) {
  std::size_t period = 1;
  const auto repeats_with = [&](std::size_t p) {
    if (layers.size() % p != 0) return false;
    for (std::size_t i = p; i < layers.size(); ++i)
      if (layers[i] != layers[i - p]) return false;
    return true;
  };
  while (!repeats_with(period)) ++period;
  // Equal layers all through are one run, not a pattern of one.
  const std::size_t pattern = period == 1 ? layers.size() : period;
  model.repeats = static_cast<int>(layers.size() / pattern);
  for (std::size_t i = 0; i < pattern; ++i) {
    if (i > 0 && layers[i] == layers[i - 1]) ++model.layers.back().count;
    else model.layers.push_back(layers[i]);
  }
}

/// A text part of its own, such as "gemma4_text", is the family of the same name.
auto find_family(std::string_view type) {
  if (type.ends_with("_text")) type.remove_suffix(5);
  if (const auto alias = std::ranges::find(aliases, type, &Alias::model_type); alias != aliases.end()) type = alias->family;
  return std::ranges::find(families, type, &Family::model_type);
}

}  // namespace

const Family* family_of(ConfigReader& root, ConfigReader& text) {
  const std::vector<std::string> classes = root.strings("architectures");
  // A text part says itself what it is; beside it stands the whole with its towers.
  std::string type = text.string("model_type").value_or("");
  if (std::string whole = root.string("model_type").value_or(""); type.empty() || find_family(type) == families.end()) type = std::move(whole);
  if (type.empty() && !classes.empty()) {
    const auto by_class = std::ranges::find(families, classes.front(), &Family::architecture);
    if (by_class != families.end()) type = by_class->model_type;
  }
  text.ignore({"model_type", "architectures"});
  const auto family = find_family(type);
  if (const auto known = std::ranges::find(not_modelled, type, &NotModelled::model_type); known != not_modelled.end()) {
    root.error("model_type", fmt::format("models of type '{}' are not modelled: {}", type, known->why));
    return nullptr;
  }
  if (family == families.end()) {
    const std::vector<std::string> known = known_types();
    const std::string nearest = nearest_name(type, known);
    root.error("model_type", type.empty() ? "'model_type' is missing" : fmt::format("model type '{}' is not known", type),
               nearest.empty() ? fmt::format("known: {}", fmt::join(known, ", ")) : fmt::format("did you mean '{}'?", nearest));
    return nullptr;
  }
  for (const std::string& name : classes) {
    const auto other = std::ranges::find(families, name, &Family::architecture);
    if (other == families.end() || name == family->architecture) continue;
    root.error("model_type",
               fmt::format("model_type '{}' contradicts architectures '{}', which is '{}'", type, name, other->model_type),
               "this copy was altered; take the model's own config.json");
    return nullptr;
  }
  return &*family;
}

void read_layers(const Family& family, ConfigReader& text, ModelShape& model) {
  const std::int64_t count = text.required({"num_hidden_layers"});
  if (count > 10'000) text.error("num_hidden_layers", fmt::format("{} layers are more than any model has", count));
  if (count < 1 || count > 10'000 || model.hidden < 1) return;

  LayerShape layer;
  layer.norms = family.norms;
  layer.attention = family.attention == Attention::latent ? read_latent_attention(text)
                                                          : read_grouped_attention(family, text, model.hidden);
  std::vector<LayerShape> layers(static_cast<std::size_t>(count), layer);
  if (family.attention == Attention::grouped) read_windows(family, text, layers);
  if (family.feed_forward == FeedForward::gemma4) read_global_heads(text, layers);
  read_feed_forward(family, text, layers);
  fold(layers, model);
}

}  // namespace rackwright::llm
