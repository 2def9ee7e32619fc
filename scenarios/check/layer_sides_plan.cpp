#include "scenarios/check/layer_sides_plan.h"

#include <algorithm>
#include <memory>

#include "models/cost/attention_ffn_step_cost.h"
#include "scenarios/check/pool_connections.h"
#include "scenarios/spec/layer_sides_reader.h"

namespace rackwright::scenarios {
namespace {

double bytes_per_token(const llm::ModelShape& model, const std::optional<hardware::NumberFormat>& format, int instances) {
  int chosen = 0;
  for (const llm::LayerShape& layer : model.layers) chosen = std::max(chosen, layer.feed_forward.experts > 0 ? layer.feed_forward.experts_per_token : 1);
  return std::min(chosen, instances) * model.hidden * hardware::bits(format.value_or(model.activations)) / 8.0;
}

/// What is stated of one instance, or what the network gives both sides together, shared out. Nothing is known only after
/// a finding about it.
void set_rates(const PoolSpec& attention, const PoolSpec& ffn, const ConnectionPlan* way, cost::LayerExchange& exchange) {
  exchange.latency_s = ffn.side.latency_s;
  if (ffn.side.bytes_per_s) {
    exchange.attention_bytes_per_s = exchange.ffn_bytes_per_s = *ffn.side.bytes_per_s;
  } else if (way != nullptr && way->bytes_per_s > 0) {
    exchange.attention_bytes_per_s = way->bytes_per_s / attention.side.instances;
    exchange.ffn_bytes_per_s = way->bytes_per_s / ffn.side.instances;
    exchange.latency_s += way->start_s;
  }
}

}  // namespace

void plan_layer_sides(const ScenarioSpec& scenario, const FabricPlan* fabric, std::vector<PoolPlan>& plans) {
  for (std::size_t a = 0; a < scenario.pools.size(); ++a) {
    const PoolSpec& attention = scenario.pools[a];
    if (attention.role != PoolRole::attention) continue;
    const std::optional<std::size_t> f = ffn_pool_of(scenario.pools, attention);
    if (!f || !plans[a].cost || !plans[*f].cost) continue;
    const PoolSpec& ffn = scenario.pools[*f];
    cost::AttentionFfnSpec spec;
    spec.layers = llm::layer_count(attention.model);
    spec.attention_instances = attention.side.instances;
    spec.ffn_instances = ffn.side.instances;
    spec.ffn_groups = ffn.ranks;
    spec.micro_batches = attention.side.micro_batches;
    spec.expert_imbalance = ffn.side.expert_imbalance;
    spec.exchange.send_bytes_per_token = bytes_per_token(ffn.model, ffn.side.send, ffn.side.instances);
    spec.exchange.return_bytes_per_token = bytes_per_token(ffn.model, ffn.side.back, ffn.side.instances);
    spec.host_time_per_step_s = attention.execution.host_time_per_step_s;
    spec.overlap = attention.execution.overlap;
    set_rates(attention, ffn, find_connection(fabric, *f, a), spec.exchange);
    plans[a].cost = std::make_shared<cost::AttentionFfnStepCost>(plans[a].cost, plans[*f].cost, spec);
  }
}

}  // namespace rackwright::scenarios
