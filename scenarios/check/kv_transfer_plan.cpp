#include "scenarios/check/kv_transfer_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/cost/collective_cost.h"
#include "models/llm/sharding.h"
#include "scenarios/check/scale_up_domain.h"
#include "scenarios/spec/findings.h"

namespace rackwright::scenarios {
namespace {

/// What copies between devices reach of the scale-up links of one instance; nothing where the catalog knows no link.
std::optional<double> scale_up_rate(const PoolSpec& pool, const RackGroupSpec& racks) {
  if (!racks.device.scale_up_bytes_per_s) return std::nullopt;
  const cost::ScaleUpSpec link = cost::scale_up_spec(racks.device.scale_up_link, *racks.device.scale_up_bytes_per_s);
  return link.bytes_per_s * link.ring_fraction * pool.devices_per_instance();
}

double bytes_per_token_at(const PoolSpec& pool) {
  Diagnostics told_before;
  const llm::ShardedShape sharded = llm::shard(pool.model, pool.parallelism, {}, "", told_before);
  return llm::kv_bytes_per_token(pool.model) * sharded.kv_copies;
}

void plan_pair(const PoolSpec& prefill, const PoolSpec& decode, const HallSpec& hall, PoolPlan& from, PoolPlan& to,
               const std::string& path, Findings& findings) {
  const auto raise = [](double& port, double rate) { port = std::max(port, rate); };
  if (decode.kv_transfer.bytes_per_s) {
    raise(from.kv_port_bytes_per_s, *decode.kv_transfer.bytes_per_s);
    raise(to.kv_port_bytes_per_s, *decode.kv_transfer.bytes_per_s);
    return;
  }
  const RackGroupSpec& racks = hall.groups[static_cast<std::size_t>(decode.devices.group)];
  if (!share_scale_up_domain(prefill.devices, decode.devices, hall)) {
    findings.error(path, fmt::format("'{}' and '{}' share no scale-up domain, and nothing says what carries KV between them", prefill.name,
                                     decode.name),
                   "give kv_transfer.bandwidth, or place both inside one domain");
    return;
  }
  const std::optional<double> sends = scale_up_rate(prefill, racks);
  const std::optional<double> receives = scale_up_rate(decode, racks);
  if (!sends || !receives) {
    findings.error(path, fmt::format("the catalog does not know the scale-up bandwidth of {}", racks.device.name), "give kv_transfer.bandwidth");
    return;
  }
  raise(from.kv_port_bytes_per_s, *sends);
  raise(to.kv_port_bytes_per_s, *receives);
}

}  // namespace

void plan_kv_transfers(const ScenarioSpec& scenario, std::vector<PoolPlan>& plans, Findings& findings) {
  for (std::size_t d = 0; d < scenario.pools.size(); ++d) {
    const PoolSpec& decode = scenario.pools[d];
    if (!decode.receives_kv) continue;
    plans[d].kv_bytes_per_token = bytes_per_token_at(decode);
    for (std::size_t p = 0; p < scenario.pools.size(); ++p) {
      const PoolSpec& prefill = scenario.pools[p];
      if (prefill.role != PoolRole::prefill || prefill.model_name != decode.model_name) continue;
      plan_pair(prefill, decode, scenario.hall, plans[p], plans[d], fmt::format("deployment[{}].kv_transfer", d), findings);
    }
  }
}

}  // namespace rackwright::scenarios
