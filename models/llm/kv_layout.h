#pragma once

#include <cstdint>
#include <vector>

#include "models/llm/sharding.h"

namespace rackwright::llm {

/// How many blocks of a paged KV cache a sequence takes.
///
/// Layers that keep equally many tokens form groups of (nearly) equal KV bytes, and a block holds `block_tokens` tokens of one
/// group, as in vLLM's hybrid KV cache manager: of Gemma 3 27B's layers, 10 keep all and 52 keep 1,024, which makes 1 + 6 groups of ten. A
/// model without windows has one group. A sequence of t tokens takes
///
///   full · ⌈t / b⌉ + Σ groups · min(⌈t / b⌉, ⌈(window − 1) / b⌉ + 1)
///
/// the last term being what w − 1 earlier tokens and the new one touch at worst. Blocks behind the window are free at once; what a
/// chunk of a prompt writes beyond it within its step is not counted.
class KvLayout {
 public:
  struct Windowed {
    std::int32_t groups = 0;
    std::int32_t window_tokens = 0;
  };

  KvLayout(std::int32_t block_tokens = 16) : KvLayout(block_tokens, 1, {}) {}  // NOLINT: a block's length is a layout.
  KvLayout(std::int32_t block_tokens, std::int32_t full_groups, const std::vector<Windowed>& windowed);

  std::int32_t block_tokens() const { return block_tokens_; }
  std::int32_t full_groups() const { return full_groups_; }
  std::int32_t groups() const { return groups_; }
  bool has_windows() const { return !limits_.empty(); }

  /// Blocks of a sequence of `tokens` tokens, the last ones perhaps partly filled.
  std::int64_t blocks_for(std::int64_t tokens) const {
    const std::int64_t rows = (tokens + block_tokens_ - 1) / block_tokens_;
    std::int64_t blocks = rows * groups_;
    for (const Limit& limit : limits_)
      if (rows > limit.rows) blocks -= (rows - limit.rows) * limit.groups;
    return blocks;
  }
  /// Tokens of the longest sequence that `blocks` blocks hold.
  std::int64_t longest(std::int64_t blocks) const;

  /// Groups that take no more blocks once a sequence fills `rows` of them.
  struct Limit {
    std::int64_t rows = 0;
    std::int32_t groups = 0;
  };
  const std::vector<Limit>& limits() const { return limits_; }

 private:
  std::int32_t block_tokens_;
  std::int32_t full_groups_;
  std::int32_t groups_;
  std::vector<Limit> limits_;
};

/// What becomes of the rows behind the window of a layer that has one.
enum class WindowedRows { freed, kept };

/// The groups of a model, by bytes: as many layers as the least of the kinds have form one, or as the most where those have less than a
/// quarter more (vLLM). Kept rows, and models all of whose layers have windows, make one group.
KvLayout kv_layout(const ModelShape& model, std::int32_t block_tokens, WindowedRows rows);

/// KV bytes of a sequence by its length: those of every row, less the rows behind each window.
struct KvBytes {
  struct Windowed {
    std::int32_t window_tokens = 0;
    double bytes_per_token = 0;
  };
  double per_token = 0;
  std::vector<Windowed> windowed = {};

  double of(double tokens) const;
};

/// Of the whole model.
KvBytes kv_bytes_by_length(const ModelShape& model, WindowedRows rows);

/// KV bytes per token of one group on the fullest device. A group that its layers do not fill counts whole.
double group_bytes_per_token(const ShardedShape& sharded, const KvLayout& layout);

}  // namespace rackwright::llm
