#include "scenarios/check/kv_transfer_plan.h"

#include <algorithm>

#include "models/llm/sharding.h"
#include "scenarios/check/pool_connections.h"

namespace rackwright::scenarios {
namespace {

llm::KvBytes bytes_at(const PoolSpec& pool, const PoolPlan& plan) {
  Diagnostics told_before;
  const llm::ShardedShape sharded = llm::shard(pool.model, pool.parallelism, {}, "", told_before);
  llm::KvBytes bytes = llm::kv_bytes_by_length(pool.model, plan.kv_layout.has_windows() ? llm::WindowedRows::freed : llm::WindowedRows::kept);
  bytes.per_token *= sharded.kv_copies;
  for (llm::KvBytes::Windowed& layers : bytes.windowed) layers.bytes_per_token *= sharded.kv_copies;
  return bytes;
}

void raise(double& rate, double to) { rate = std::max(rate, to); }

}  // namespace

void plan_kv_transfers(const ScenarioSpec& scenario, const FabricPlan* fabric, std::vector<PoolPlan>& plans) {
  for (std::size_t d = 0; d < scenario.pools.size(); ++d) {
    const PoolSpec& decode = scenario.pools[d];
    if (!decode.receives_kv) continue;
    plans[d].kv_bytes = bytes_at(decode, plans[d]);
    for (std::size_t p = 0; p < scenario.pools.size(); ++p) {
      const PoolSpec& prefill = scenario.pools[p];
      if (prefill.role != PoolRole::prefill || prefill.model_name != decode.model_name) continue;
      for (PoolPlan* plan : {&plans[p], &plans[d]}) {
        if (decode.kv_transfer.bytes_per_s) raise(plan->kv_port_bytes_per_s, *decode.kv_transfer.bytes_per_s);
        if (decode.kv_transfer.bytes_per_s) raise(plan->kv_bytes_per_s, *decode.kv_transfer.bytes_per_s);
        if (const ConnectionPlan* way = find_connection(fabric, p, d)) raise(plan->kv_bytes_per_s, way->bytes_per_s);
      }
    }
  }
}

}  // namespace rackwright::scenarios
