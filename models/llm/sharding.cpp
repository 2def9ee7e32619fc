#include "models/llm/sharding.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "models/base/invariant.h"

namespace rackwright::llm {
namespace {

int ceil_div(int a, int b) { return (a + b - 1) / b; }

/// Collects findings about the degrees, each once.
class Findings {
 public:
  Findings(const Location& where, const std::string& path, Diagnostics& diagnostics)
      : where_(where), path_(path), diagnostics_(diagnostics) {}
  void error(std::string message, std::string hint = {}) {
    if (is_new(message)) diagnostics_.error(where_, path_, std::move(message), std::move(hint));
  }
  void warning(std::string message) {
    if (is_new(message)) diagnostics_.warning(where_, path_, std::move(message));
  }

 private:
  bool is_new(const std::string& message) {
    if (std::ranges::find(seen_, message) != seen_.end()) return false;
    seen_.push_back(message);
    return true;
  }
  const Location& where_;
  const std::string& path_;
  Diagnostics& diagnostics_;
  std::vector<std::string> seen_;
};

void shard_attention(AttentionShape& a, int tensor, ShardedShape& sharded, Findings& findings) {
  if (a.query_heads % tensor != 0)
    findings.error(fmt::format("{} query heads cannot be split {} ways", a.query_heads, tensor));
  if (a.kind == AttentionKind::latent) {
    sharded.kv_copies = std::max(sharded.kv_copies, tensor);
  } else {
    if (a.kv_heads % tensor != 0 && tensor % a.kv_heads != 0)
      findings.error(fmt::format("{} KV heads cannot be split {} ways", a.kv_heads, tensor));
    sharded.kv_copies = std::max(sharded.kv_copies, tensor / a.kv_heads);
    a.kv_heads = std::max(1, ceil_div(a.kv_heads, tensor));
  }
  a.query_heads = ceil_div(a.query_heads, tensor);
}

void shard_feed_forward(FeedForwardShape& f, const Parallelism& p, Findings& findings) {
  const auto split = [&](int& width, const char* what) {
    if (width % p.tensor != 0) findings.error(fmt::format("the {} width {} cannot be split {} ways", what, width, p.tensor));
    width = ceil_div(width, p.tensor);
  };
  split(f.dense_width, "feed-forward");
  split(f.shared_width, "shared-expert");
  if (f.experts == 0) return;
  if (p.expert == 1) {
    split(f.expert_width, "expert");
    return;
  }
  if (f.experts < p.expert) findings.error(fmt::format("{} experts cannot be spread over {} devices", f.experts, p.expert));
  if (f.experts % p.expert != 0)
    findings.warning(fmt::format("{} experts do not spread evenly over {} devices; the fullest holds {}", f.experts, p.expert,
                                 ceil_div(f.experts, p.expert)));
  f.experts = ceil_div(f.experts, p.expert) + p.experts.redundant;
}

/// Null where every device has as much to do as any other and nothing limits where a token goes.
std::shared_ptr<const ExpertBalance> balance_of(const FeedForwardShape& whole, const Parallelism& p, bool is_sound, Findings& findings) {
  const ExpertSpread& spread = p.experts;
  // Placed by load, experts that do not divide evenly have copies in the room that is left.
  const bool has_copies = spread.placement == ExpertSpread::Placement::balanced && (spread.redundant > 0 || whole.experts % p.expert != 0);
  const bool is_even = spread.shares.empty() && !has_copies && spread.token_nodes == 0 && spread.dispatch == ExpertSpread::Dispatch::direct;
  if (whole.experts == 0 || is_even || !is_sound) return nullptr;
  if (!spread.shares.empty() && static_cast<int>(spread.shares.front().size()) != whole.experts) {
    findings.error(fmt::format("the load is given of {} experts, but a layer has {}", spread.shares.front().size(), whole.experts));
    return nullptr;
  }
  return std::make_shared<ExpertBalance>(whole.experts, whole.experts_per_token, p.expert, spread);
}

/// Weights and KV of each stage; the greatest are the device's.
void measure_stages(ShardedShape& sharded) {
  const ModelShape& model = sharded.model;
  const std::vector<int> order = layer_order(model);
  std::vector<double> weights;
  std::vector<double> kv;
  for (const LayerShape& layer : sharded.layers) {
    weights.push_back(weight_bytes(layer_parameters(layer, model.hidden), model.weights));
    kv.push_back(kv_bytes_per_token(layer.attention, model.kv));
  }
  // Routers are whole on every device, but layer_parameters counts one row per expert that lies here.
  for (std::size_t i = 0; i < sharded.layers.size(); ++i) {
    const int missing = model.layers[i].feed_forward.experts - sharded.layers[i].feed_forward.experts;
    weights[i] += static_cast<double>(missing) * model.hidden * bits_per_weight(model.weights.other) / 8;
  }
  const double table = static_cast<double>(sharded.vocabulary) * model.hidden;
  std::size_t next = 0;
  for (std::size_t stage = 0; stage < sharded.stage_layers.size(); ++stage) {
    double stage_weights = 0;
    double stage_kv = 0;
    for (int i = 0; i < sharded.stage_layers[stage]; ++i, ++next) {
      stage_weights += weights[static_cast<std::size_t>(order[next])];
      stage_kv += kv[static_cast<std::size_t>(order[next])];
    }
    const bool first = stage == 0;
    const bool last = stage + 1 == sharded.stage_layers.size();
    if (last) stage_weights += model.hidden * bits_per_weight(model.weights.other) / 8;  // Final norm.
    if (first) stage_weights += table * bits_per_weight(model.weights.other) / 8;
    if (last && !(first && model.tied_embeddings)) stage_weights += table * bits_per_weight(model.weights.lm_head) / 8;
    sharded.weight_bytes = std::max(sharded.weight_bytes, stage_weights);
    sharded.kv_bytes_per_token = std::max(sharded.kv_bytes_per_token, stage_kv);
  }
}

}  // namespace

int device_count(const Parallelism& parallelism) { return stage_devices(parallelism) * parallelism.pipeline; }

int stage_devices(const Parallelism& parallelism) { return parallelism.tensor * parallelism.data * parallelism.context; }

ShardedShape shard(const ModelShape& model, const Parallelism& parallelism, const Location& where,
                   const std::string& path, Diagnostics& diagnostics) {
  const Parallelism& p = parallelism;
  invariant(p.tensor >= 1 && p.pipeline >= 1 && p.data >= 1 && p.expert >= 1 && p.context >= 1, "parallel degrees are at least 1");
  Findings findings(where, path, diagnostics);
  ShardedShape sharded;
  sharded.model = model;
  sharded.parallelism = p;
  sharded.layers = model.layers;
  bool has_experts = false;
  for (LayerShape& layer : sharded.layers) {
    has_experts |= layer.feed_forward.experts > 0;
    shard_attention(layer.attention, p.tensor, sharded, findings);
    shard_feed_forward(layer.feed_forward, p, findings);
  }
  if (p.expert > 1 && !has_experts) findings.error("expert parallelism needs a model with experts");
  if (p.expert > 1 && p.expert != p.tensor * p.data)
    findings.error(fmt::format("experts spread over {} devices, but a stage has {}", p.expert, p.tensor * p.data),
                   "expert parallelism spans tensor x data devices, or is 1");
  if (p.data > 1 && has_experts && p.expert == 1)
    findings.error("data-parallel attention within one instance needs expert parallelism", "set expert = tensor x data");
  if (p.data > 1 && !has_experts)
    findings.error("data-parallel attention within one instance needs a model with experts", "use replicas instead");
  if (p.context > 1 && (p.data > 1 || p.expert > 1))
    findings.error("a prompt split over devices does not go with data-parallel attention or experts spread whole", "use one of them");
  const bool is_sound = p.expert == 1 || p.expert == p.tensor * p.data;
  for (const LayerShape& layer : model.layers) sharded.balance.push_back(balance_of(layer.feed_forward, p, is_sound, findings));

  sharded.vocabulary = ceil_div(model.vocabulary, p.tensor);
  const int layers = layer_count(model);
  if (p.pipeline > layers) findings.error(fmt::format("{} layers cannot be split into {} stages", layers, p.pipeline));
  if (layers % p.pipeline != 0)
    findings.warning(fmt::format("{} layers do not split evenly into {} stages; the longest has {}", layers, p.pipeline,
                                 ceil_div(layers, p.pipeline)));
  // Stages differ by at most one layer; the first ones are longer.
  sharded.stage_layers.assign(static_cast<std::size_t>(p.pipeline), layers / p.pipeline);
  for (int i = 0; i < layers % p.pipeline; ++i) ++sharded.stage_layers[static_cast<std::size_t>(i)];
  measure_stages(sharded);
  return sharded;
}

double kv_bytes(const ShardedShape& sharded, std::int64_t context_tokens) {
  const std::vector<int> order = layer_order(sharded.model);
  double most = 0;
  std::size_t next = 0;
  for (const int stage : sharded.stage_layers) {
    double bytes = 0;
    for (int i = 0; i < stage; ++i, ++next) {
      const AttentionShape& a = sharded.layers[static_cast<std::size_t>(order[next])].attention;
      const std::int64_t kept = a.window_tokens > 0 ? std::min<std::int64_t>(context_tokens, a.window_tokens) : context_tokens;
      bytes += kv_bytes_per_token(a, sharded.model.kv) * static_cast<double>(kept);
    }
    most = std::max(most, bytes);
  }
  return most;
}

}  // namespace rackwright::llm
