#include "sim/run/prepared_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>

#include "models/base/invariant.h"
#include "models/base/version.h"
#include "scenarios/codec/codec.h"
#include "scenarios/schema/scenario.pb.h"
#include "sim/policies/router_registry.h"
#include "sim/policies/scheduler_registry.h"
#include "sim/run/disaggregation.h"
#include "sim/run/draft_traffic.h"
#include "sim/run/group_traffic.h"
#include "sim/run/layer_traffic.h"
#include "sim/run/power_layout.h"
#include "sim/run/stations.h"

namespace rackwright::run {
namespace {

policies::QueueOrder queue_order(const std::string& order) {
  if (order == "priority") return policies::QueueOrder::priority;
  if (order == "deadline") return policies::QueueOrder::deadline;
  invariant(order == "arrival", "every queue order of the schema is known");
  return policies::QueueOrder::arrival;
}

std::shared_ptr<const serving::SchedulerPolicy> scheduler_policy(const scenarios::PoolSpec& pool, std::int64_t kv_blocks) {
  const scenarios::SchedulerSpec& scheduler = pool.scheduler;
  policies::SchedulerOptions options;
  options.token_budget = scheduler.token_budget;
  options.max_sequences = scheduler.max_sequences;
  options.long_prefill_threshold = scheduler.long_prefill_threshold;
  options.reserve_tokens = scheduler.reserve_tokens;
  options.chunked_prefill = scheduler.chunked_prefill;
  options.order = queue_order(scheduler.order);
  options.prompt_count = scheduler.prompt_count == "padded" ? policies::PromptCount::padded : policies::PromptCount::sum;
  options.context_budget = scheduler.context_budget;
  options.steps = scheduler.steps == "alternating" ? policies::StepKinds::alternating : policies::StepKinds::hybrid;
  options.watermark_blocks = static_cast<std::int64_t>(pool.kv_cache.watermark_fraction * static_cast<double>(kv_blocks));
  const policies::SchedulerEntry* entry = policies::find_scheduler(scheduler.policy);
  invariant(entry != nullptr, "every scheduling policy of the schema is registered");
  return entry->make(options);
}

std::shared_ptr<const serving::Router> router(const scenarios::ScenarioSpec& scenario, const std::string& policy) {
  const policies::RouterEntry* entry = policies::find_router(policy);
  invariant(entry != nullptr, "every routing policy of the schema is registered");
  policies::RouterOptions options;
  options.seed = scenario.seed;
  options.match_threshold = scenario.routing.match_threshold;
  options.imbalance_requests = scenario.routing.imbalance_requests;
  options.imbalance_ratio = scenario.routing.imbalance_ratio;
  return entry->make(options);
}

serving::PoolSpec serving_pool(const scenarios::PoolSpec& pool, const scenarios::PoolPlan& plan) {
  serving::PoolSpec spec;
  spec.name = pool.name;
  spec.model = pool.model_name;
  spec.replicas = pool.instances;
  spec.max_context_tokens = pool.model.max_context_tokens;
  spec.admission.max_waiting = pool.admission.max_waiting;
  spec.admission.deadline = pool.admission.within_ttft ? serving::DeadlineRule::estimate : serving::DeadlineRule::ignore;
  if (pool.admission.decode_load == "current") spec.admission.decode_load = serving::DecodeLoad::current;
  if (pool.admission.decode_load == "predicted") spec.admission.decode_load = serving::DecodeLoad::predicted;
  spec.instance.cost_weight = pool.cost_weight;
  if (pool.scaling) {
    const double load_s = pool.scaling->start_time_s + plan.memory.weight_bytes / pool.scaling->load_bytes_per_s;
    spec.scaling = {pool.scaling->target_outstanding, pool.scaling->min_replicas, sim_time(pool.scaling->period_s),
                    sim_time(pool.scaling->down_window_s), sim_time(load_s)};
  }
  spec.instance.policy = scheduler_policy(pool, plan.kv_blocks);
  spec.instance.cost = plan.cost;
  spec.instance.kv_blocks = plan.kv_blocks;
  spec.instance.stage_layers = plan.stage_layers;
  for (const scenarios::KvTierPlan& tier : plan.kv_tiers) {
    spec.instance.kv_tiers.push_back({tier.name, tier.capacity_tokens, tier.tokens_per_s, sim_time(tier.latency_s),
                                      tier.is_shared ? serving::TierScope::pool : serving::TierScope::instance});
  }
  spec.instance.preemption = pool.kv_cache.swaps ? serving::Preemption::swap : serving::Preemption::recompute;
  spec.instance.kv_layout = plan.kv_layout;
  disaggregate(pool, plan, spec);
  spec.client_delay = sim_time(pool.client_delay_s);
  spec.instance.prefix_caching = pool.kv_cache.prefix_caching ? serving::PrefixCaching::on : serving::PrefixCaching::off;
  return spec;
}

/// The strictest TTFT objective of a class is its deadline.
serving::RequestClassSpec request_class(const results::RequestClass& written, const scenarios::ClassTreatment& treatment) {
  serving::RequestClassSpec one;
  one.name = written.name;
  one.priority = treatment.priority;
  for (const results::SloTarget& target : written.targets) {
    if (target.metric == results::LatencyMetric::ttft) one.first_token_within = std::min(one.first_token_within, target.limit);
    if (target.metric == results::LatencyMetric::tpot) one.step_within = std::min(one.step_within, target.limit);
  }
  if (treatment.timeout_s) one.timeout = sim_time(*treatment.timeout_s);
  one.model = treatment.model;
  return one;
}

/// A hall with one model takes every request, whatever model its log names, unless the scenario maps names to models.
void serve_every_name(const scenarios::ScenarioSpec& scenario, serving::ServingSpec& serving) {
  std::set<std::string> models;
  for (const serving::PoolSpec& pool : serving.pools)
    if (pool.instance.role != serving::Role::helper) models.insert(pool.model);
  if (models.size() > 1 || !scenario.workload.models.empty()) return;
  for (serving::PoolSpec& pool : serving.pools) pool.model.clear();
}

/// "TP4 PP2", the degrees above 1, or "36 stages".
std::string sharding(const scenarios::PoolSpec& pool, const scenarios::PoolPlan& plan) {
  if (plan.dataflow) return fmt::format("{} {}", plan.dataflow->stages, plan.dataflow->stages == 1 ? "stage" : "stages");
  std::string text;
  const auto add = [&](const char* name, int degree) {
    if (degree > 1) text += fmt::format("{}{}{}", text.empty() ? "" : " ", name, degree);
  };
  add("TP", pool.parallelism.tensor);
  add("PP", pool.parallelism.pipeline);
  add("DP", pool.parallelism.data);
  add("EP", pool.parallelism.expert);
  add("CP", pool.parallelism.context);
  return text;
}

results::PoolDescription describe(const scenarios::PoolSpec& pool, const scenarios::PoolPlan& plan, const scenarios::RackGroupSpec& racks) {
  results::PoolDescription description;
  description.name = pool.name;
  description.role = role_name(pool.role);
  description.model = pool.model_name;
  description.device = racks.device.name;
  description.sharding = sharding(pool, plan);
  description.instances = static_cast<std::uint32_t>(pool.instances);
  description.devices_per_instance = static_cast<std::uint32_t>(pool.devices_per_instance());
  description.kv_block_tokens = pool.kv_cache.block_tokens;
  description.prefix_cache = pool.kv_cache.prefix_caching;
  description.quality = pool.quality;
  return description;
}

}  // namespace

PreparedRun prepare(const scenarios::CheckedScenario& checked, serving::Jumping jumping) {
  const scenarios::ScenarioSpec& scenario = checked.spec;
  PreparedRun run;
  PowerLayout power = power_layout(scenario, checked.plans);

  run.description.version = std::string(version());
  run.description.scenario = scenario.name;
  run.description.question = scenario.question;
  run.description.seed = scenario.seed;
  for (std::size_t i = 0; i < scenario.pools.size(); ++i) {
    const scenarios::PoolSpec& pool = scenario.pools[i];
    run.description.pools.push_back(describe(pool, checked.plans[i], scenario.hall.groups[static_cast<std::size_t>(pool.devices.group)]));
  }
  run.description.racks = std::move(power.racks);
  run.description.classes = scenario.classes;
  run.description.inputs = checked.inputs;
  run.description.unverified_figures = checked.unverified;
  run.description.resolved_scenario = scenarios::write_message(*checked.resolved, scenarios::Format::yaml);

  run.layout.instances = std::move(power.instances);
  run.layout.station_devices = std::move(power.station_devices);
  run.layout.rack_base_power_mw = std::move(power.rack_base_power_mw);
  run.layout.power_is_known = power.is_known;

  for (std::size_t i = 0; i < scenario.pools.size(); ++i) {
    run.serving.pools.push_back(serving_pool(scenario.pools[i], checked.plans[i]));
  }
  join_pools(scenario, run.serving);
  add_stations(scenario, run.description, run.serving);
  std::vector<KvEnd> ends = kv_ends(scenario, checked.plans);
  if (checked.fabric) run.network = network_setup(*checked.fabric, scenario.fabric);
  if (!ends.empty() && !run.network) run.network.emplace();
  if (run.network) {
    run.network->kv_ends = std::move(ends);
    run.network->step_traffic = group_traffic(checked);
    add_layer_traffic(checked, run.network->step_traffic);
    add_draft_traffic(checked, run.network->step_traffic);
    run.network->timeline_period_s = scenario.timeline_period_s;
  }
  serve_every_name(scenario, run.serving);
  run.serving.router = router(scenario, scenario.routing.policy);
  if (scenario.routing.decode != scenario.routing.policy) run.serving.decode_router = router(scenario, scenario.routing.decode);
  run.serving.others = request_class(scenario.classes[0], scenario.treatments[0]);
  for (std::size_t i = 1; i < scenario.classes.size(); ++i)
    run.serving.classes.push_back(request_class(scenario.classes[i], scenario.treatments[i]));
  run.serving.jumping = jumping;

  for (const Diagnostic& finding : checked.diagnostics.all()) {
    if (finding.severity == Severity::warning) run.warnings.push_back(finding.path.empty() ? finding.message : finding.path + ": " + finding.message);
  }
  run.warnings.insert(run.warnings.end(), power.left_out.begin(), power.left_out.end());
  return run;
}

}  // namespace rackwright::run
