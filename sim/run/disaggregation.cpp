#include "sim/run/disaggregation.h"

namespace rackwright::run {
namespace {

serving::Role role(scenarios::PoolRole role) {
  switch (role) {
    case scenarios::PoolRole::prefill: return serving::Role::prefill;
    case scenarios::PoolRole::decode: return serving::Role::decode;
    case scenarios::PoolRole::mixed: break;
  }
  return serving::Role::colocated;
}

}  // namespace

std::string role_name(scenarios::PoolRole role) {
  switch (role) {
    case scenarios::PoolRole::prefill: return "prefill";
    case scenarios::PoolRole::decode: return "decode";
    case scenarios::PoolRole::mixed: break;
  }
  return "colocated";
}

void disaggregate(const scenarios::PoolSpec& pool, const scenarios::PoolPlan& plan, serving::PoolSpec& spec) {
  using From = scenarios::KvTransferSpec;
  using To = serving::KvTransferSpec;
  spec.instance.role = role(pool.role);
  spec.kv_port_bytes_per_s = plan.kv_port_bytes_per_s;
  if (pool.role != scenarios::PoolRole::decode) return;
  const From& from = pool.kv_transfer;
  spec.kv_transfer.initiative = from.initiative == From::Initiative::push ? To::Initiative::push : To::Initiative::pull;
  spec.kv_transfer.when = from.when == From::When::layerwise ? To::When::layerwise : To::When::after;
  spec.kv_transfer.bytes_per_token = plan.kv_bytes_per_token;
  spec.kv_transfer.layers = llm::layer_count(pool.model);
  spec.kv_transfer.latency = sim_time(from.latency_s);
  spec.kv_transfer.copies = from.copies;
  spec.kv_transfer.wait_per_copy = sim_time(from.wait_per_copy_s);
}

}  // namespace rackwright::run
