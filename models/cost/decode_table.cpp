#include "models/cost/decode_table.h"

#include <algorithm>

#include "models/base/invariant.h"
#include "models/llm/operator_graph.h"

namespace rackwright::cost {
namespace {

/// For models whose configuration does not say how far they reach.
constexpr double default_longest = 1'048'576;

double longest_mean(const llm::ShardedShape& sharded, const llm::AttentionShape& attention) {
  const double longest = sharded.model.max_context_tokens > 1 ? static_cast<double>(sharded.model.max_context_tokens) : default_longest;
  return attention.window_tokens > 1 ? std::min<double>(longest, attention.window_tokens) : longest;
}

void sort_unique(std::vector<double>& values) {
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

}  // namespace

DecodeTable::DecodeTable(const llm::ShardedShape& sharded, std::span<const llm::LayerShape> layers,
                         const OperatorCostModel& model, int max_sequences)
    : attention_(layers.front().attention) {
  const double longest = longest_mean(sharded, attention_);
  first_.reserve(static_cast<std::size_t>(max_sequences) + 2);
  first_.push_back(0);  // No sequences: never asked for.
  for (int sequences = 1; sequences <= max_sequences; ++sequences) {
    first_.push_back(knots_.size());
    std::vector<double> means;
    for (const llm::LayerShape& layer : layers) {
      const auto shortest_call = llm::decode_attention(sharded, layer, sequences, sequences);
      const auto longest_call = llm::decode_attention(sharded, layer, sequences, sequences * longest);
      const std::vector<double> knots = model.decode_knots(shortest_call, longest_call);
      means.insert(means.end(), knots.begin(), knots.end());
    }
    sort_unique(means);
    invariant(means.size() >= 2, "decode attention has a shortest and a longest context");
    for (const double mean : means) {
      Knot knot{.tokens = mean, .work = {}};
      for (const llm::LayerShape& layer : layers) {
        const llm::Operator op = llm::decode_attention(sharded, layer, sequences, sequences * mean);
        knot.work.add(model.cost(op), op.count, op.kernels);
      }
      knots_.push_back(knot);
    }
  }
  first_.push_back(knots_.size());
}

DecodeTable::Piece DecodeTable::piece(int sequences, double mean_tokens) const {
  const auto row = static_cast<std::size_t>(sequences);
  invariant(sequences >= 1 && row + 1 < first_.size(), "a step has at most max_sequences sequences");
  const Knot* begin = knots_.data() + first_[row];
  const Knot* end = knots_.data() + first_[row + 1];
  const Knot* right = std::upper_bound(begin + 1, end - 1, mean_tokens, [](double x, const Knot& knot) { return x < knot.tokens; });
  return {right - 1, right, right == end - 1};
}

std::vector<DecodeTable> decode_tables(const llm::ShardedShape& sharded, const OperatorCostModel& model, int max_sequences) {
  // Full and latent attention reach equally far; a window is its own group.
  const auto reach = [](const llm::AttentionShape& a) {
    const bool chunked = a.kind == llm::AttentionKind::chunked;
    return std::pair(a.window_tokens, chunked);
  };
  std::vector<DecodeTable> tables;
  std::vector<bool> done(sharded.layers.size(), false);
  for (std::size_t i = 0; i < sharded.layers.size(); ++i) {
    if (done[i]) continue;
    std::vector<llm::LayerShape> alike;
    for (std::size_t j = i; j < sharded.layers.size(); ++j) {
      if (reach(sharded.layers[j].attention) != reach(sharded.layers[i].attention)) continue;
      done[j] = true;
      alike.push_back(sharded.layers[j]);
    }
    tables.emplace_back(sharded, alike, model, max_sequences);
  }
  return tables;
}

}  // namespace rackwright::cost
