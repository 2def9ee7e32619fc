#include "scenarios/spec/layer_sides_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/names.h"
#include "scenarios/schema/effective.h"
#include "scenarios/schema/scenario.pb.h"
#include "scenarios/spec/findings.h"

namespace rackwright::scenarios {
namespace {

/// The enums agree; model_reader.cpp checks that they do.
hardware::NumberFormat format_of(v1::NumberFormat written) { return static_cast<hardware::NumberFormat>(written - 1); }

bool has_experts(const llm::ModelShape& model) {
  return std::ranges::any_of(model.layers, [](const llm::LayerShape& layer) { return layer.feed_forward.experts > 0; });
}

/// All instances of a side as one, which a run steps through together.
void merge_instances(PoolSpec& pool) {
  pool.side.instances = pool.instances;
  pool.ranks = pool.instances;
  pool.instances = std::min(pool.instances, 1);
}

void take_limits(const v1::Pool& written, const PoolSpec& attention, PoolSpec& ffn) {
  ffn.scheduler = attention.scheduler;
  ffn.execution.host_time_per_step_s = 0;  // The attention side's counts for the whole step.
  ffn.execution.max_sequences = attention.execution.max_sequences;
  ffn.execution.max_tokens = attention.execution.max_tokens;
  // Graphs for the batches of all attention instances together are captured in the sizes that occur.
  if (written.execution().decode_graph_sizes_size() == 0) ffn.execution.decode_sizes.clear();
  if (written.execution().mixed_graph_sizes_size() == 0 && written.execution().decode_graph_sizes_size() == 0) ffn.execution.mixed_sizes.clear();
}

void spread_experts(PoolSpec& ffn, const std::string& path, Findings& findings) {
  if (!has_experts(ffn.model)) return;
  if (ffn.parallelism.pipeline > 1) findings.error(path + ".pipeline_parallel", "a feed-forward pool has no stages", "leave it out");
  if (ffn.parallelism.context > 1) findings.error(path + ".context_parallel", "a feed-forward pool has no contexts to split", "leave it out");
  const int devices = llm::device_count(ffn.parallelism) * ffn.ranks;
  ffn.parallelism = {.tensor = 1, .pipeline = 1, .data = devices, .expert = devices};
  ffn.ranks = 1;
}

}  // namespace

LayerSideSpec layer_side_spec(const v1::Pool& written) {
  using Exchange = v1::LayerExchange;
  LayerSideSpec side;
  side.micro_batches = static_cast<int>(effective_count(written, v1::Pool::kMicroBatchesFieldNumber));
  side.serves = written.serves();
  const Exchange& exchange = written.exchange();
  if (exchange.has_bandwidth()) side.bytes_per_s = exchange.bandwidth();
  if (exchange.has_mechanism()) side.mechanism = cost::parse_transfer_mechanism(effective_written(exchange, Exchange::kMechanismFieldNumber));
  side.latency_s = effective_quantity(exchange, Exchange::kLatencyFieldNumber);
  if (exchange.has_send()) side.send = format_of(exchange.send());
  if (exchange.has_back()) side.back = format_of(exchange.back());
  side.expert_imbalance = written.has_expert_imbalance() ? written.expert_imbalance() : 1;
  return side;
}

std::optional<std::size_t> ffn_pool_of(const std::vector<PoolSpec>& pools, const PoolSpec& attention) {
  for (std::size_t i = 0; i < pools.size(); ++i)
    if (pools[i].role == PoolRole::ffn && pools[i].side.serves == attention.name) return i;
  return std::nullopt;
}

void join_layer_sides(const v1::Scenario& scenario, std::vector<PoolSpec>& pools, Findings& findings) {
  std::vector<std::string> attention_names;
  for (const PoolSpec& pool : pools)
    if (pool.role == PoolRole::attention) attention_names.push_back(pool.name);
  for (std::size_t i = 0; i < pools.size(); ++i) {
    PoolSpec& pool = pools[i];
    const std::string path = fmt::format("deployment[{}]", i);
    if (pool.role != PoolRole::attention && pool.role != PoolRole::ffn) continue;
    if (pool.dataflow && pool.role == PoolRole::attention)
      findings.error(path + ".role", "attention alone is not modelled on devices that keep weights on chip", "use them for the feed-forward side, or whole");
    merge_instances(pool);
    if (pool.role == PoolRole::attention) {
      if (!ffn_pool_of(pools, pool)) findings.error(path + ".role", fmt::format("no pool computes the feed-forward networks of '{}'", pool.name),
                                                    fmt::format("add a pool with 'role: ffn' and 'serves: {}'", pool.name));
      if (pool.parallelism.pipeline > 1 || pool.parallelism.data > 1 || pool.parallelism.expert > 1 || pool.parallelism.context > 1)
        findings.error(path + ".role", "attention instances are split by tensor_parallel alone", "their number is what data_parallel would be");
      continue;
    }
    const auto served = std::ranges::find(pools, pool.side.serves, &PoolSpec::name);
    if (served == pools.end() || served->role != PoolRole::attention) {
      findings.error(path + ".serves", fmt::format("no pool with 'role: attention' is called '{}'", pool.side.serves), name_hint(pool.side.serves, attention_names));
      continue;
    }
    if (ffn_pool_of(pools, *served) != i) findings.error(path + ".serves", fmt::format("another pool serves '{}' already", served->name), "one pool serves it");
    if (served->model_name != pool.model_name) findings.error(path + ".model", fmt::format("'{}' serves '{}', which runs {}", pool.name, served->name, served->model_name), "both sides are of one model");
    take_limits(scenario.deployment(static_cast<int>(i)), *served, pool);
    spread_experts(pool, path, findings);
  }
}

}  // namespace rackwright::scenarios
