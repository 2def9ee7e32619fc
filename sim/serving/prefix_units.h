#pragma once

#include <algorithm>
#include <cstdint>

#include "models/llm/kv_layout.h"
#include "sim/serving/sequence.h"

namespace rackwright::serving {

/// How the hashes of a sequence's prompt map onto KV blocks: a unit is the larger of hash and block, of which one must
/// be a multiple of the other. Only units that lie whole in the prompt count. Of layers with a window nothing is shared: who finds a
/// unit finds their rows too, but in blocks of its own.
struct PrefixUnits {
  std::int32_t tokens = 0;  ///< Of one unit.
  std::int32_t hashes = 1;  ///< Of one unit; the last stands for it.
  std::int32_t blocks = 1;  ///< Of one unit.
  std::int32_t count = 0;   ///< In the prompt; 0 where nothing can be found.

  PrefixUnits(const Sequence& sequence, const llm::KvLayout& layout) {
    const std::int32_t block_tokens = layout.block_tokens();
    const std::int32_t hash_tokens = sequence.hash_tokens;
    if (hash_tokens <= 0 || (hash_tokens % block_tokens != 0 && block_tokens % hash_tokens != 0)) return;
    tokens = std::max(hash_tokens, block_tokens);
    hashes = tokens / hash_tokens;
    blocks = tokens / block_tokens * layout.full_groups();
    count = std::min(sequence.input_tokens / tokens, static_cast<std::int32_t>(sequence.prefix_hashes.size()) / hashes);
  }

  std::uint64_t hash(const Sequence& sequence, std::int32_t index) const {
    return sequence.prefix_hashes[static_cast<std::size_t>((index + 1) * hashes - 1)];
  }
};

}  // namespace rackwright::serving
