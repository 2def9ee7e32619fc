#include "scenarios/spec/model_reader.h"

#include <fmt/format.h>

#include "models/llm/shape_check.h"
#include "scenarios/schema/effective.h"
#include "scenarios/schema/model.pb.h"
#include "scenarios/spec/findings.h"

namespace rackwright::scenarios {
namespace {

// The enums of the schema and of models/llm list the same values in the same order; the schema's start at 1.
template <class Value, class Written>
Value same_value(Written written) {
  return static_cast<Value>(static_cast<int>(written) - 1);
}
static_assert(static_cast<int>(llm::AttentionKind::latent) == v1::ATTENTION_KIND_LATENT - 1);
static_assert(static_cast<int>(llm::WeightFormat::fp8_block128) == v1::WEIGHT_FORMAT_FP8_BLOCK128 - 1);
static_assert(static_cast<int>(llm::WeightFormat::nvfp4) == v1::WEIGHT_FORMAT_NVFP4 - 1);
static_assert(static_cast<int>(hardware::NumberFormat::int4) == v1::NUMBER_FORMAT_INT4 - 1);

llm::AttentionShape attention_shape(const v1::Attention& attention) {
  using Field = v1::Attention;
  llm::AttentionShape shape;
  shape.kind = same_value<llm::AttentionKind>(effective_choice<v1::AttentionKind>(attention, Field::kKindFieldNumber));
  shape.query_heads = attention.query_heads();
  shape.kv_heads = attention.kv_heads();
  shape.head_dim = attention.head_dim();
  shape.window_tokens = attention.window_tokens();
  shape.query_rank = attention.query_rank();
  shape.kv_rank = attention.kv_rank();
  shape.rope_head_dim = attention.rope_head_dim();
  shape.nope_head_dim = attention.nope_head_dim();
  shape.value_head_dim = attention.value_head_dim();
  shape.qkv_bias = attention.qkv_bias();
  shape.output_bias = attention.output_bias();
  shape.qk_norm = attention.qk_norm();
  shape.sinks = attention.sinks();
  shape.keys_are_values = attention.keys_are_values();
  return shape;
}

llm::FeedForwardShape feed_forward_shape(const v1::FeedForward& feed_forward) {
  llm::FeedForwardShape shape;
  shape.dense_width = feed_forward.dense_width();
  shape.experts = feed_forward.experts();
  shape.experts_per_token = feed_forward.experts_per_token();
  shape.expert_width = feed_forward.expert_width();
  shape.shared_width = feed_forward.shared_width();
  shape.shared_gate = feed_forward.shared_gate();
  shape.expert_bias = feed_forward.expert_bias();
  return shape;
}

/// What the kind of attention needs and the scenario or preset did not give.
void require_attention(const llm::AttentionShape& shape, const std::string& path, Findings& findings) {
  const auto need = [&](int value, const char* name) {
    if (value <= 0) findings.error(path, fmt::format("{} attention needs '{}'", to_string(shape.kind), name));
  };
  if (shape.kind == llm::AttentionKind::latent) {
    need(shape.kv_rank, "kv_rank");
    need(shape.nope_head_dim, "nope_head_dim");
    need(shape.value_head_dim, "value_head_dim");
    return;
  }
  need(shape.kv_heads, "kv_heads");
  need(shape.head_dim, "head_dim");
  if (shape.kind != llm::AttentionKind::full) need(shape.window_tokens, "window_tokens");
  if (shape.kv_heads > 0 && shape.query_heads % shape.kv_heads != 0) {
    findings.error(path, fmt::format("{} query heads do not divide into {} KV heads", shape.query_heads, shape.kv_heads));
  }
}

void require_feed_forward(const llm::FeedForwardShape& shape, const std::string& path, Findings& findings) {
  if (shape.dense_width == 0 && shape.experts == 0 && shape.shared_width == 0) {
    findings.error(path, "the feed-forward part has no width", "give 'dense_width', or 'experts' and 'expert_width'");
  }
  if (shape.experts == 0) return;
  if (shape.expert_width == 0) findings.error(path, "experts need 'expert_width'");
  if (shape.experts_per_token == 0) findings.error(path, "experts need 'experts_per_token'");
  if (shape.experts_per_token > shape.experts) {
    findings.error(path, fmt::format("a token uses {} of {} experts", shape.experts_per_token, shape.experts));
  }
}

}  // namespace

void apply_formats(const v1::Model& model, llm::ModelShape& shape) {
  const v1::WeightFormats& weights = model.weights();
  const auto apply = [](bool given, v1::WeightFormat format, llm::WeightFormat& to) {
    if (given) to = same_value<llm::WeightFormat>(format);
  };
  if (weights.has_all()) {
    const auto all = same_value<llm::WeightFormat>(weights.all());
    shape.weights.attention = shape.weights.attention_output = shape.weights.feed_forward = shape.weights.experts = all;
  }
  apply(weights.has_attention(), weights.attention(), shape.weights.attention);
  apply(weights.has_attention_output(), weights.attention_output(), shape.weights.attention_output);
  apply(weights.has_feed_forward(), weights.feed_forward(), shape.weights.feed_forward);
  apply(weights.has_experts(), weights.experts(), shape.weights.experts);
  apply(weights.has_lm_head(), weights.lm_head(), shape.weights.lm_head);
  apply(weights.has_other(), weights.other(), shape.weights.other);
  if (model.has_kv()) shape.kv = same_value<hardware::NumberFormat>(model.kv());
  if (model.has_activations()) shape.activations = same_value<hardware::NumberFormat>(model.activations());
}

void give_way_to_all(v1::Model& preset, const v1::Model& written) {
  if (!written.weights().has_all() || !preset.has_weights()) return;
  v1::WeightFormats& weights = *preset.mutable_weights();
  weights.clear_attention();
  weights.clear_attention_output();
  weights.clear_feed_forward();
  weights.clear_experts();
}

llm::ModelShape model_shape(const v1::Model& model, std::string_view path, Findings& findings) {
  const int errors_before = findings.diagnostics().error_count();
  llm::ModelShape shape;
  shape.name = model.has_preset() ? model.preset() : model.title();
  shape.source = model.source();
  shape.hidden = model.hidden();
  shape.vocabulary = model.vocabulary();
  shape.tied_embeddings = model.tied_embeddings();
  shape.repeats = model.has_repeats() ? model.repeats() : 1;
  shape.mtp_layers = model.mtp_layers();
  shape.max_context_tokens = model.max_context_tokens();
  for (int i = 0; i < model.layers_size(); ++i) {
    const v1::Layer& written = model.layers(i);
    llm::LayerShape layer;
    layer.count = written.has_count() ? written.count() : 1;
    if (written.has_norms()) layer.norms = written.norms();
    layer.attention = attention_shape(written.attention());
    layer.feed_forward = feed_forward_shape(written.feed_forward());
    require_attention(layer.attention, fmt::format("{}.layers[{}].attention", path, i), findings);
    require_feed_forward(layer.feed_forward, fmt::format("{}.layers[{}].feed_forward", path, i), findings);
    shape.layers.push_back(layer);
  }
  apply_formats(model, shape);
  const auto need = [&](bool given, const char* name) {
    if (!given) findings.error(path, fmt::format("the model needs '{}'", name), "name a preset of 'rackwright list models', or a 'config'");
  };
  need(shape.hidden > 0, "hidden");
  need(shape.vocabulary > 0, "vocabulary");
  need(!shape.layers.empty(), "layers");
  // Sizes that no model has would overflow what is computed of them.
  if (findings.diagnostics().error_count() == errors_before) check_model_shape(shape, findings.place(path), std::string(path), findings.diagnostics());
  return shape;
}

}  // namespace rackwright::scenarios
