#include "scenarios/check/layer_sides_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "models/cost/attention_ffn_step_cost.h"
#include "models/cost/collective_cost.h"
#include "scenarios/check/scale_up_domain.h"
#include "scenarios/spec/findings.h"
#include "scenarios/spec/layer_sides_reader.h"

namespace rackwright::scenarios {
namespace {

/// What copies reach of the scale-up links of one instance of a side.
double instance_rate(const PoolSpec& pool, const RackGroupSpec& racks) {
  const cost::ScaleUpSpec link = cost::scale_up_spec(racks.device.scale_up_link, *racks.device.scale_up_bytes_per_s);
  return link.bytes_per_s * link.ring_fraction * pool.devices_per_instance() / pool.side.instances;
}

double bytes_per_token(const llm::ModelShape& model, const std::optional<hardware::NumberFormat>& format, int instances) {
  int chosen = 0;
  for (const llm::LayerShape& layer : model.layers) chosen = std::max(chosen, layer.feed_forward.experts > 0 ? layer.feed_forward.experts_per_token : 1);
  return std::min(chosen, instances) * model.hidden * hardware::bits(format.value_or(model.activations)) / 8.0;
}

bool set_rates(const ScenarioSpec& scenario, const PoolSpec& attention, const PoolSpec& ffn, const std::string& path, cost::LayerExchange& exchange,
               Findings& findings) {
  if (ffn.side.bytes_per_s) {
    exchange.attention_bytes_per_s = exchange.ffn_bytes_per_s = *ffn.side.bytes_per_s;
    return true;
  }
  const RackGroupSpec& racks = scenario.hall.groups[static_cast<std::size_t>(ffn.devices.group)];
  if (!share_scale_up_domain(attention.devices, ffn.devices, scenario.hall) || !racks.device.scale_up_bytes_per_s) {
    findings.error(path, fmt::format("'{}' and '{}' share no scale-up domain, and nothing says what joins them", attention.name, ffn.name),
                   "give exchange.bandwidth");
    return false;
  }
  exchange.attention_bytes_per_s = instance_rate(attention, racks);
  exchange.ffn_bytes_per_s = instance_rate(ffn, racks);
  return true;
}

}  // namespace

void plan_layer_sides(const ScenarioSpec& scenario, std::vector<PoolPlan>& plans, Findings& findings) {
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
    spec.exchange.latency_s = ffn.side.latency_s;
    spec.exchange.send_bytes_per_token = bytes_per_token(ffn.model, ffn.side.send, ffn.side.instances);
    spec.exchange.return_bytes_per_token = bytes_per_token(ffn.model, ffn.side.back, ffn.side.instances);
    spec.host_time_per_step_s = attention.execution.host_time_per_step_s;
    spec.overlap = attention.execution.overlap;
    if (!set_rates(scenario, attention, ffn, fmt::format("deployment[{}].exchange", *f), spec.exchange, findings)) continue;
    plans[a].cost = std::make_shared<cost::AttentionFfnStepCost>(plans[a].cost, plans[*f].cost, spec);
  }
}

}  // namespace rackwright::scenarios
