#pragma once

#include <cstdint>

#include "models/base/invariant.h"

namespace rackwright::serving {

/// The paged KV memory of one instance: blocks of `block_tokens` tokens. A block that nobody shares has no
/// identity here; who holds how many is counted in `Sequence::blocks` and in the decode group.
class KvCache {
 public:
  KvCache(std::int64_t blocks, std::int32_t block_tokens) : blocks_(blocks), free_(blocks), block_tokens_(block_tokens) {}

  std::int64_t blocks() const { return blocks_; }
  std::int64_t free() const { return free_; }
  std::int64_t used() const { return blocks_ - free_; }
  std::int32_t block_tokens() const { return block_tokens_; }
  /// Blocks that `tokens` tokens fill, the last one perhaps partly.
  std::int64_t blocks_for(std::int64_t tokens) const { return (tokens + block_tokens_ - 1) / block_tokens_; }

  /// Takes blocks that are known to be free.
  void take(std::int64_t count) {
    invariant(count >= 0 && count <= free_, "no more KV blocks are taken than are free");
    free_ -= count;
  }
  void give_back(std::int64_t count) {
    free_ += count;
    invariant(count >= 0 && free_ <= blocks_, "no more KV blocks are given back than were taken");
  }

 private:
  std::int64_t blocks_;
  std::int64_t free_;
  std::int32_t block_tokens_;
};

}  // namespace rackwright::serving
