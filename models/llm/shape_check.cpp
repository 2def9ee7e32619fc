#include "models/llm/shape_check.h"

#include <fmt/format.h>

namespace rackwright::llm {
namespace {

// Far above any model, and low enough that products stay in range.
constexpr double largest_hidden = 1e6;
constexpr double largest_vocabulary = 1e8;
constexpr double largest_width = 1e7;  // Of all heads together, of networks and of ranks.
constexpr double most_experts = 1e5;
constexpr double most_layers = 1e4;
constexpr double most_parameters = 1e15;

class ShapeCheck {
 public:
  ShapeCheck(const Location& where, const std::string& path, Diagnostics& diagnostics)
      : where_(where), path_(path), diagnostics_(diagnostics), errors_before_(diagnostics.error_count()) {}

  void at(std::string part) { part_ = std::move(part); }

  void range(double value, double min, double max, std::string_view what) {
    if (value < min || value > max)
      error(fmt::format("{} is {}: between {} and {} is expected", what, value, min, max));
  }
  void error(std::string message) {
    diagnostics_.error(where_, path_.empty() || part_.empty() ? path_ + part_ : path_ + "." + part_, std::move(message));
  }
  bool clean() const { return diagnostics_.error_count() == errors_before_; }

 private:
  const Location& where_;
  const std::string& path_;
  Diagnostics& diagnostics_;
  int errors_before_;
  std::string part_;
};

void check_attention(const AttentionShape& a, ShapeCheck& check) {
  check.range(a.query_heads, 1, most_experts, "the number of query heads");
  check.range(a.query_rank, 0, largest_width, "query_rank");
  if (a.kind == AttentionKind::latent) {
    check.range(a.kv_rank, 1, largest_width, "kv_rank");
    check.range(a.rope_head_dim, 0, largest_width, "rope_head_dim");
    check.range(a.nope_head_dim, 1, largest_width, "nope_head_dim");
    check.range(a.value_head_dim, 1, largest_width, "value_head_dim");
    check.range(1.0 * a.query_heads * (1.0 * a.nope_head_dim + a.rope_head_dim + a.value_head_dim), 1, largest_width, "the width of all heads");
    return;
  }
  check.range(a.kv_heads, 1, most_experts, "the number of KV heads");
  check.range(a.head_dim, 1, largest_width, "head_dim");
  check.range(1.0 * (1.0 * a.query_heads + 2.0 * a.kv_heads) * a.head_dim, 1, largest_width, "the width of all heads");
  if (a.kv_heads > 0 && a.query_heads % a.kv_heads != 0)
    check.error(fmt::format("{} query heads cannot share {} KV heads evenly", a.query_heads, a.kv_heads));
  const bool has_window = a.kind == AttentionKind::sliding || a.kind == AttentionKind::chunked;
  check.range(a.window_tokens, has_window ? 1 : 0, has_window ? 1e9 : 0, "window_tokens");
}

void check_feed_forward(const FeedForwardShape& f, ShapeCheck& check) {
  check.range(f.dense_width, 0, largest_width, "dense_width");
  check.range(f.shared_width, 0, largest_width, "shared_width");
  check.range(f.experts, 0, most_experts, "the number of experts");
  if (f.experts > 0) {
    check.range(f.expert_width, 1, largest_width, "expert_width");
    check.range(f.experts_per_token, 1, f.experts, "experts_per_token");
  } else if (f.dense_width == 0 && f.shared_width == 0) {
    check.error("a layer has no feed-forward network");
  }
}

}  // namespace

bool check_model_shape(const ModelShape& model, const Location& where, const std::string& path, Diagnostics& diagnostics) {
  ShapeCheck check(where, path, diagnostics);
  check.range(model.hidden, 1, largest_hidden, "hidden");
  check.range(model.vocabulary, 1, largest_vocabulary, "vocabulary");
  check.range(model.repeats, 1, most_layers, "repeats");
  check.range(model.mtp_layers, 0, most_layers, "mtp_layers");
  double layers = 0;
  double parameters = 2.0 * model.hidden * model.vocabulary;
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const LayerShape& layer = model.layers[i];
    check.at(fmt::format("layers[{}]", i));
    check.range(layer.count, 1, most_layers, "count");
    check.range(layer.norms, 0, 100, "norms");
    check_attention(layer.attention, check);
    check_feed_forward(layer.feed_forward, check);
    const FeedForwardShape& f = layer.feed_forward;
    const double count = 1.0 * layer.count * model.repeats;
    layers += count;
    parameters += count * model.hidden * 3.0 * (1.0 * f.dense_width + f.shared_width + 1.0 * f.experts * f.expert_width);
  }
  check.at("");
  check.range(layers, 1, most_layers, "the number of layers");
  if (parameters > most_parameters) check.error("the shape has more parameters than any model");
  return check.clean();
}

}  // namespace rackwright::llm
