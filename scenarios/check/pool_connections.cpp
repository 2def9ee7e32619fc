#include "scenarios/check/pool_connections.h"

#include <fmt/format.h>

#include "scenarios/spec/layer_sides_reader.h"
#include "scenarios/spec/speculation_reader.h"

namespace rackwright::scenarios {

std::vector<PoolConnection> pool_connections(const ScenarioSpec& scenario) {
  std::vector<PoolConnection> connections;
  const std::vector<PoolSpec>& pools = scenario.pools;
  for (std::size_t to = 0; to < pools.size(); ++to) {
    const std::string path = fmt::format("deployment[{}]", to);
    if (pools[to].receives_kv && !pools[to].kv_transfer.bytes_per_s) {
      for (std::size_t from = 0; from < pools.size(); ++from)
        if (pools[from].role == PoolRole::prefill && pools[from].model_name == pools[to].model_name)
          connections.push_back({from, to, pools[to].kv_transfer.mechanism, path + ".kv_transfer", "KV cache"});
    }
    if (pools[to].speculation && !pools[to].speculation->bytes_per_s) {
      if (const auto draft = draft_pool_of(pools, pools[to])) connections.push_back({*draft, to, std::nullopt, path + ".speculation", "drafts"});
    }
    if (pools[to].role != PoolRole::attention) continue;
    const auto ffn = ffn_pool_of(pools, pools[to]);
    if (ffn && !pools[*ffn].side.bytes_per_s)
      connections.push_back({*ffn, to, pools[*ffn].side.mechanism, fmt::format("deployment[{}].exchange", *ffn), "activations"});
  }
  return connections;
}

const ConnectionPlan* find_connection(const FabricPlan* fabric, std::size_t from, std::size_t to) {
  if (fabric == nullptr) return nullptr;
  for (const ConnectionPlan& plan : fabric->connections)
    if (plan.connection.from == from && plan.connection.to == to) return &plan;
  return nullptr;
}

}  // namespace rackwright::scenarios
