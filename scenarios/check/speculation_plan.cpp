#include "scenarios/check/speculation_plan.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "models/base/quantity.h"
#include "models/cost/speculative_step_cost.h"
#include "scenarios/check/pool_connections.h"
#include "scenarios/spec/findings.h"
#include "scenarios/spec/speculation_reader.h"

namespace rackwright::scenarios {
namespace {

/// Blocks that hold the KV of both models, beside the weights of the draft.
void share_memory(const PoolSpec& pool, const PoolPlan& draft, const std::string& path, PoolPlan& plan, Findings& findings) {
  const double room = plan.memory.kv_bytes - draft.memory.weight_bytes;
  const double block = plan.memory.kv_block_bytes + draft.memory.kv_block_bytes;
  const auto blocks = static_cast<std::int64_t>(std::floor(std::max(room, 0.0) / block)) * pool.parallelism.data * pool.parallelism.context;
  if (blocks == 0)
    findings.error(path, fmt::format("beside the model, {} are left for the draft's weights of {} and the KV of both",
                                     format_quantity(plan.memory.kv_bytes, "B", 4), format_quantity(draft.memory.weight_bytes, "B", 4)),
                   "take a smaller draft, or more devices");
  if (pool.kv_cache.blocks && *pool.kv_cache.blocks > blocks)
    findings.error(path, fmt::format("beside the draft, the memory leaves room for {} blocks, not {}", blocks, *pool.kv_cache.blocks),
                   "leave kv_cache.blocks out to use what fits");
  plan.kv_blocks = std::min(plan.kv_blocks, blocks);
}

/// What joins a draft instance to its target: stated, or the network with nothing else on it.
cost::DraftLink link_between(const SpeculationSpec& spec, const ConnectionPlan* way) {
  cost::DraftLink link;
  link.mode = spec.mode == SpeculationSpec::Mode::parallel ? cost::DraftLink::Mode::parallel : cost::DraftLink::Mode::serial;
  link.latency_s = spec.latency_s;
  link.bytes_per_token = spec.bytes_per_token;
  link.mean_acceptance = spec.acceptance;
  if (spec.bytes_per_s) {
    link.bytes_per_s = *spec.bytes_per_s;
  } else if (way != nullptr && way->bytes_per_s > 0) {
    link.bytes_per_s = way->bytes_per_s;
    link.latency_s += way->start_s;
  }
  return link;
}

}  // namespace

void plan_speculation(const ScenarioSpec& scenario, const Catalog& catalog, const FabricPlan* fabric, std::vector<PoolPlan>& plans,
                      Findings& findings) {
  for (std::size_t i = 0; i < scenario.pools.size(); ++i) {
    const PoolSpec& pool = scenario.pools[i];
    if (!pool.speculation || !plans[i].cost) continue;
    const SpeculationSpec& spec = *pool.speculation;
    const std::string path = fmt::format("deployment[{}].speculation", i);
    if (pool.dataflow) {
      findings.error(path, "verification of several tokens at once is not modelled on devices that keep weights on chip",
                     "they can hold the draft");
      continue;
    }
    if (const std::optional<std::size_t> d = draft_pool_of(scenario.pools, pool)) {
      const cost::DraftLink link = link_between(spec, find_connection(fabric, *d, i));
      if (plans[*d].cost) plans[i].cost = std::make_shared<cost::SpeculativeStepCost>(plans[i].cost, plans[*d].cost, spec.tokens, &link);
      continue;
    }
    PoolPlan draft;
    if (spec.draft) {
      PoolSpec drafting = pool;
      drafting.model = *spec.draft;
      drafting.execution.tokens_per_decode = 1;
      drafting.execution.host_time_per_step_s = 0;
      drafting.kv_cache.blocks.reset();
      const RackGroupSpec& racks = scenario.hall.groups[static_cast<std::size_t>(pool.devices.group)];
      draft = plan_pool(drafting, racks, scenario.fabric, path + ".draft", catalog, findings);
      if (!draft.cost) continue;
      share_memory(pool, draft, path, plans[i], findings);
    }
    plans[i].cost = std::make_shared<cost::SpeculativeStepCost>(plans[i].cost, draft.cost, spec.tokens, nullptr);
  }
}

}  // namespace rackwright::scenarios
