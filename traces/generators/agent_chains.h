#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/base/random.h"
#include "traces/generators/quantile_table.h"
#include "traces/records/request.h"
#include "traces/records/string_table.h"

namespace rackwright::traces {

/// Tasks of agents: model calls, each but the first after a round of tools. The prompt of a call is the one before it, its
/// visible answer, and what the tools have said; its hidden reasoning is dropped, as chat templates do. Blocks of the prompt
/// before it keep their hashes. Not modelled: branches, agents that call agents, tools that run while the model goes on.
struct AgentChainSpec {
  struct Tool {
    std::string name;
    double weight = 1;
    QuantileTable time_s;  ///< On its workers.
  };
  QuantileTable calls;           ///< Of the model, in a task; at least 1.
  QuantileTable tool_tokens;     ///< That one round of tools adds to the context.
  QuantileTable parallel_tools = QuantileTable::constant(1);  ///< Of one round.
  std::vector<Tool> tools;
};

/// The calls of one task after another.
class AgentChains {
 public:
  AgentChains(const AgentChainSpec& spec, StringTable& names, RandomStream draws);

  /// `request` is the first call of a new task; gives it a session and block hashes.
  void begin(Request& request);
  bool has_more() const { return calls_left_ > 0; }
  /// Makes of the request before it the next call of its task; its id and output tokens are set already, and `parent_output`
  /// are the visible tokens of the one before it.
  void follow(Request& request, std::uint64_t parent, std::int32_t parent_output);

 private:
  void hash_blocks(Request& request);
  std::uint32_t drawn_tool();

  AgentChainSpec spec_;
  RandomStream draws_;
  std::vector<std::uint32_t> tool_ids_;
  double weights_ = 0;
  std::uint64_t next_block_;
  std::uint64_t next_session_;
  std::int32_t calls_left_ = 0;
  std::int32_t prompt_tokens_ = 0;       ///< Of the call before, and
  std::vector<std::uint64_t> blocks_;    ///< its hashes.
  std::uint64_t session_ = 0;
};

}  // namespace rackwright::traces
