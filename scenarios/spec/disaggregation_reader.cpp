#include "scenarios/spec/disaggregation_reader.h"

#include <fmt/format.h>

#include "scenarios/schema/effective.h"
#include "scenarios/schema/scenario.pb.h"
#include "scenarios/spec/findings.h"

namespace rackwright::scenarios {
namespace {

/// The first pool of the same model and this role, or none.
const PoolSpec* partner(const std::vector<PoolSpec>& pools, const PoolSpec& of, PoolRole role) {
  for (const PoolSpec& pool : pools)
    if (pool.model_name == of.model_name && pool.role == role) return &pool;
  return nullptr;
}

/// The first pool that decodes what prefill pools of this model compute, or none.
const PoolSpec* receiver(const std::vector<PoolSpec>& pools, const PoolSpec& of) {
  for (const PoolSpec& pool : pools)
    if (pool.model_name == of.model_name && pool.receives_kv) return &pool;
  return nullptr;
}

}  // namespace

PoolRole pool_role(const v1::Pool& pool) {
  switch (effective_choice<v1::PoolRole>(pool, v1::Pool::kRoleFieldNumber)) {
    case v1::POOL_ROLE_PREFILL: return PoolRole::prefill;
    case v1::POOL_ROLE_DECODE: return PoolRole::decode;
    case v1::POOL_ROLE_DRAFT: return PoolRole::draft;
    case v1::POOL_ROLE_ATTENTION: return PoolRole::attention;
    case v1::POOL_ROLE_FFN: return PoolRole::ffn;
    default: return PoolRole::mixed;
  }
}

KvTransferSpec kv_transfer_spec(const v1::KvTransfer& written) {
  using Field = v1::KvTransfer;
  KvTransferSpec spec;
  const bool pulls = effective_choice<v1::KvTransferInitiative>(written, Field::kInitiativeFieldNumber) == v1::KV_TRANSFER_INITIATIVE_PULL;
  const bool after = effective_choice<v1::KvTransferWhen>(written, Field::kWhenFieldNumber) == v1::KV_TRANSFER_WHEN_AFTER;
  spec.initiative = pulls ? KvTransferSpec::Initiative::pull : KvTransferSpec::Initiative::push;
  spec.when = pulls || after ? KvTransferSpec::When::after : KvTransferSpec::When::layerwise;
  if (written.has_bandwidth()) spec.bytes_per_s = written.bandwidth();
  if (written.has_mechanism()) spec.mechanism = cost::parse_transfer_mechanism(effective_written(written, Field::kMechanismFieldNumber));
  spec.latency_s = effective_quantity(written, Field::kLatencyFieldNumber);
  spec.copies = static_cast<int>(effective_count(written, Field::kCopiesFieldNumber));
  spec.wait_per_copy_s = effective_quantity(written, Field::kWaitPerCopyFieldNumber);
  spec.local_prompts_below = static_cast<int>(effective_count(written, Field::kLocalPromptsBelowFieldNumber));
  if (written.has_spill_above()) spec.spill_above = written.spill_above();
  return spec;
}

void match_roles(std::vector<PoolSpec>& pools, Findings& findings) {
  for (PoolSpec& pool : pools)
    pool.receives_kv = pool.role == PoolRole::decode || (pool.role == PoolRole::attention && partner(pools, pool, PoolRole::prefill) != nullptr);
  for (std::size_t i = 0; i < pools.size(); ++i) {
    const PoolSpec& pool = pools[i];
    const std::string path = fmt::format("deployment[{}]", i);
    const PoolSpec* prefill = partner(pools, pool, PoolRole::prefill);
    const PoolSpec* decode = receiver(pools, pool);
    if (pool.role == PoolRole::prefill && decode == nullptr)
      findings.error(path + ".role", fmt::format("no pool decodes what '{}' prefills", pool.name),
                     fmt::format("add a pool of {} with 'role: decode'", pool.model_name));
    if (!pool.receives_kv) continue;
    if (prefill == nullptr) {
      findings.error(path + ".role", fmt::format("no pool prefills what '{}' decodes", pool.name),
                     fmt::format("add a pool of {} with 'role: prefill'", pool.model_name));
      continue;
    }
    if (pool.kv_transfer.initiative != decode->kv_transfer.initiative)
      findings.error(path + ".kv_transfer.initiative", fmt::format("'{}' and '{}' decode one model, but only one of them pulls", decode->name, pool.name),
                     "requests are routed before it is known which pool decodes them: use the same in both");
    if (pool.kv_transfer.local_prompts_below != decode->kv_transfer.local_prompts_below || pool.kv_transfer.spill_above != decode->kv_transfer.spill_above)
      findings.error(path + ".kv_transfer", fmt::format("'{}' and '{}' decode one model, but do not compute the same prompts themselves", decode->name, pool.name),
                     "give both the same local_prompts_below and spill_above");
    if (pool.model.kv != prefill->model.kv)
      findings.error(path + ".model", fmt::format("'{}' keeps KV in another format than '{}', which computes it", pool.name, prefill->name),
                     "use one KV format on both sides");
  }
}

}  // namespace rackwright::scenarios
