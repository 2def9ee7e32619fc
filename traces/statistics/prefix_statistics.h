#pragma once

#include <cstdint>
#include <unordered_set>

#include "traces/records/request.h"

namespace rackwright::traces {

/// What a prefix cache without a size limit would find, with requests computed one after the other in trace order.
/// Keeps eight bytes (and a table's share) per different block.
class PrefixStatistics {
 public:
  void add(const Request& request);

  std::uint64_t requests() const { return requests_; }  ///< Those with hashes.
  std::uint64_t requests_with_hit() const { return requests_with_hit_; }
  std::uint64_t requests_fully_hit() const { return requests_fully_hit_; }
  std::uint64_t blocks() const { return blocks_; }
  std::uint64_t distinct_blocks() const { return seen_.size(); }
  std::uint64_t hit_blocks() const { return hit_blocks_; }
  /// Tokens of the requests with hashes, and those of them in hit blocks; the last block may be partial.
  std::uint64_t tokens() const { return tokens_; }
  std::uint64_t hit_tokens() const { return hit_tokens_; }

 private:
  std::unordered_set<std::uint64_t> seen_;  ///< Each block with all before it.
  std::uint64_t requests_ = 0;
  std::uint64_t requests_with_hit_ = 0;
  std::uint64_t requests_fully_hit_ = 0;
  std::uint64_t blocks_ = 0;
  std::uint64_t hit_blocks_ = 0;
  std::uint64_t tokens_ = 0;
  std::uint64_t hit_tokens_ = 0;
};

}  // namespace rackwright::traces
