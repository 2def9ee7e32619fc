#include "sim/run/disaggregation.h"

#include <algorithm>
#include <limits>

#include "scenarios/check/fabric_plan.h"
#include "scenarios/spec/layer_sides_reader.h"
#include "scenarios/spec/speculation_reader.h"

namespace rackwright::run {
namespace {

serving::Role role(const scenarios::PoolSpec& pool) {
  switch (pool.role) {
    case scenarios::PoolRole::prefill: return serving::Role::prefill;
    case scenarios::PoolRole::decode: return serving::Role::decode;
    case scenarios::PoolRole::draft:
    case scenarios::PoolRole::ffn: return serving::Role::helper;
    case scenarios::PoolRole::attention: return pool.receives_kv ? serving::Role::decode : serving::Role::colocated;
    case scenarios::PoolRole::mixed: break;
  }
  return serving::Role::colocated;
}

}  // namespace

std::string role_name(scenarios::PoolRole role) {
  switch (role) {
    case scenarios::PoolRole::prefill: return "prefill";
    case scenarios::PoolRole::decode: return "decode";
    case scenarios::PoolRole::draft: return "draft";
    case scenarios::PoolRole::attention: return "attention";
    case scenarios::PoolRole::ffn: return "ffn";
    case scenarios::PoolRole::mixed: break;
  }
  return "colocated";
}

void disaggregate(const scenarios::PoolSpec& pool, const scenarios::PoolPlan& plan, serving::PoolSpec& spec) {
  using From = scenarios::KvTransferSpec;
  using To = serving::KvTransferSpec;
  spec.instance.role = role(pool);
  if (!pool.receives_kv) return;
  const From& from = pool.kv_transfer;
  spec.kv_transfer.initiative = from.initiative == From::Initiative::push ? To::Initiative::push : To::Initiative::pull;
  spec.kv_transfer.when = from.when == From::When::layerwise ? To::When::layerwise : To::When::after;
  spec.kv_transfer.bytes = plan.kv_bytes;
  spec.kv_transfer.layers = llm::layer_count(pool.model);
  spec.kv_transfer.latency = sim_time(from.latency_s);
  spec.kv_transfer.copies = from.copies;
  spec.kv_transfer.local_prompt_tokens = from.local_prompts_below;
  if (from.spill_above) spec.kv_transfer.spill_tokens = *from.spill_above;
  spec.kv_transfer.wait_per_copy = sim_time(from.wait_per_copy_s);
}

std::vector<KvEnd> kv_ends(const scenarios::ScenarioSpec& scenario, const std::vector<scenarios::PoolPlan>& plans) {
  std::vector<KvEnd> ends;
  if (std::ranges::none_of(scenario.pools, &scenarios::PoolSpec::receives_kv)) return ends;
  for (std::size_t p = 0; p < scenario.pools.size(); ++p) {
    const scenarios::PoolSpec& pool = scenario.pools[p];
    const int sms = scenario.hall.groups[static_cast<std::size_t>(pool.devices.group)].device.compute_units.value_or(0);
    for (int i = 0; i < pool.instances; ++i)
      ends.push_back({scenarios::device_set(pool, i), pool.kv_transfer.mechanism, plans[p].kv_port_bytes_per_s, sms});
  }
  return ends;
}

void join_pools(const scenarios::ScenarioSpec& scenario, serving::ServingSpec& serving) {
  for (std::size_t i = 0; i < scenario.pools.size(); ++i) {
    if (scenario.pools[i].role == scenarios::PoolRole::attention)
      serving.pools[i].helper_pool = static_cast<int>(*scenarios::ffn_pool_of(scenario.pools, scenario.pools[i]));
    const auto& spec = scenario.pools[i].speculation;
    if (!spec) continue;
    serving.pools[i].instance.speculation = std::make_shared<serving::Speculation>(
        scenario.seed, spec->tokens, spec->acceptance, spec->concentration.value_or(std::numeric_limits<double>::infinity()));
    if (const auto draft = scenarios::draft_pool_of(scenario.pools, scenario.pools[i])) serving.pools[i].helper_pool = static_cast<int>(*draft);
  }
}

}  // namespace rackwright::run
