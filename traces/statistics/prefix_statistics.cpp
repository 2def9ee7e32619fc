#include "traces/statistics/prefix_statistics.h"

#include <algorithm>
#include <array>

#include "models/base/hash.h"

namespace rackwright::traces {
namespace {

/// Names a block together with everything before it, as an engine's block hash does.
std::uint64_t chain(std::uint64_t before, std::uint64_t block) {
  const std::array<std::uint64_t, 2> pair{before, block};
  return hash64({reinterpret_cast<const char*>(pair.data()), sizeof pair});
}

}  // namespace

void PrefixStatistics::add(const Request& request) {
  if (request.block_hashes.empty()) return;
  std::uint64_t key = 0;
  std::uint64_t hits = 0;
  bool hitting = true;
  for (const std::uint64_t block : request.block_hashes) {
    key = chain(key, block);
    const bool is_new = seen_.insert(key).second;
    hitting = hitting && !is_new;
    hits += hitting ? 1 : 0;
  }
  ++requests_;
  requests_with_hit_ += hits > 0 ? 1 : 0;
  requests_fully_hit_ += hits == request.block_hashes.size() ? 1 : 0;
  blocks_ += request.block_hashes.size();
  hit_blocks_ += hits;
  tokens_ += static_cast<std::uint64_t>(request.input_tokens);
  hit_tokens_ += std::min(static_cast<std::uint64_t>(request.input_tokens), hits * static_cast<std::uint64_t>(request.block_tokens));
}

}  // namespace rackwright::traces
