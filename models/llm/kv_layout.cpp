#include "models/llm/kv_layout.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <ranges>

#include "models/base/invariant.h"

namespace rackwright::llm {
namespace {

/// KV bytes per token of all layers that keep so many tokens; 0: all of them.
using BytesByWindow = std::map<int, double>;

BytesByWindow bytes_by_window(const ModelShape& model) {
  BytesByWindow bytes;
  for (const LayerShape& layer : model.layers)
    bytes[layer.attention.window_tokens] += model.repeats * layer.count * kv_bytes_per_token(layer.attention, model.kv);
  return bytes;
}

double group_bytes(const BytesByWindow& bytes) {
  const auto [least, most] = std::ranges::minmax(bytes | std::views::values);
  return most < 1.25 * least ? most : least;
}

}  // namespace

KvLayout::KvLayout(std::int32_t block_tokens, std::int32_t full_groups, const std::vector<Windowed>& windowed)
    : block_tokens_(block_tokens), full_groups_(full_groups), groups_(full_groups) {
  invariant(block_tokens > 0 && full_groups > 0, "a block has tokens, and some layers keep all of them");
  for (const Windowed& kind : windowed) {
    groups_ += kind.groups;
    limits_.push_back({(kind.window_tokens - 1 + block_tokens - 1) / block_tokens + 1, kind.groups});
  }
}

std::int64_t KvLayout::longest(std::int64_t blocks) const {
  std::int64_t fits = 0;
  std::int64_t too_many = blocks / full_groups_ + 1;
  while (fits + 1 < too_many) {
    const std::int64_t rows = fits + (too_many - fits) / 2;
    (blocks_for(rows * block_tokens_) <= blocks ? fits : too_many) = rows;
  }
  return fits * block_tokens_;
}

KvLayout kv_layout(const ModelShape& model, std::int32_t block_tokens, WindowedRows rows) {
  const BytesByWindow bytes = bytes_by_window(model);
  if (rows == WindowedRows::kept || bytes.size() == 1 || !bytes.contains(0)) return {block_tokens};
  const double group = group_bytes(bytes);
  const auto groups = [&](double of) { return static_cast<std::int32_t>(std::ceil(of / group - 1e-9)); };
  std::vector<KvLayout::Windowed> windowed;
  for (const auto& [window, of] : bytes)
    if (window > 0) windowed.push_back({groups(of), window});
  return {block_tokens, groups(bytes.at(0)), windowed};
}

double KvBytes::of(double tokens) const {
  double bytes = per_token * tokens;
  for (const Windowed& layers : windowed) bytes -= layers.bytes_per_token * std::max(tokens - layers.window_tokens, 0.0);
  return bytes;
}

KvBytes kv_bytes_by_length(const ModelShape& model, WindowedRows rows) {
  KvBytes bytes{kv_bytes_per_token(model)};
  if (rows == WindowedRows::kept) return bytes;
  for (const auto& [window, of] : bytes_by_window(model))
    if (window > 0) bytes.windowed.push_back({window, of});
  return bytes;
}

double group_bytes_per_token(const ShardedShape& sharded, const KvLayout& layout) {
  if (!layout.has_windows()) return sharded.kv_bytes_per_token;
  return sharded.kv_bytes_per_token * group_bytes(bytes_by_window(sharded.model)) / kv_bytes_per_token(sharded.model);
}

}  // namespace rackwright::llm
