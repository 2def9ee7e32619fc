#include "traces/generators/agent_chains.h"

#include <algorithm>

namespace rackwright::traces {
namespace {

/// As the engines' own blocks.
constexpr std::int32_t block_tokens = 16;
/// Far beyond any context window; keeps sums in range.
constexpr std::int64_t most_tokens = 1 << 30;

}  // namespace

AgentChains::AgentChains(const AgentChainSpec& spec, StringTable& names, RandomStream draws)
    : spec_(spec), draws_(draws), next_block_(draws_()), next_session_(draws_() | 1) {
  for (const AgentChainSpec::Tool& tool : spec_.tools) {
    tool_ids_.push_back(names.id(tool.name));
    weights_ += tool.weight;
  }
}

void AgentChains::begin(Request& request) {
  session_ = next_session_ += 2;
  calls_left_ = spec_.calls.tokens_at(draws_.uniform()) - 1;
  blocks_.clear();
  prompt_tokens_ = 0;
  request.session = session_;
  request.tools.clear();
  hash_blocks(request);
}

void AgentChains::follow(Request& request, std::uint64_t parent, std::int32_t parent_output) {
  --calls_left_;
  const std::int64_t prompt = std::int64_t{prompt_tokens_} + parent_output + spec_.tool_tokens.tokens_at(draws_.uniform());
  request.input_tokens = static_cast<std::int32_t>(std::min(prompt, most_tokens));
  request.parent = parent;
  request.session = session_;
  request.tools.clear();
  for (std::int32_t called = spec_.parallel_tools.tokens_at(draws_.uniform()); called > 0; --called) {
    const std::uint32_t tool = drawn_tool();
    request.tools.push_back({tool_ids_[tool], sim_time(spec_.tools[tool].time_s.at(draws_.uniform())), 0});
  }
  hash_blocks(request);
}

std::uint32_t AgentChains::drawn_tool() {
  double at = draws_.uniform() * weights_;
  std::uint32_t tool = 0;
  while (tool + 1 < spec_.tools.size() && at >= spec_.tools[tool].weight) at -= spec_.tools[tool++].weight;
  return tool;
}

/// Full blocks of the prompt before are the same; what follows is new.
void AgentChains::hash_blocks(Request& request) {
  blocks_.resize(static_cast<std::size_t>(prompt_tokens_ / block_tokens));
  const auto all = (static_cast<std::size_t>(request.input_tokens) + block_tokens - 1) / block_tokens;
  while (blocks_.size() < all) blocks_.push_back(next_block_++);
  prompt_tokens_ = request.input_tokens;
  request.block_tokens = block_tokens;
  request.block_hashes = blocks_;
}

}  // namespace rackwright::traces
