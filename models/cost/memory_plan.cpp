#include "models/cost/memory_plan.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "models/base/invariant.h"
#include "models/base/quantity.h"

namespace rackwright::cost {
namespace {

double estimated_activation_bytes(const llm::ShardedShape& sharded, const MemorySpec& spec) {
  const double activation = hardware::bits(sharded.model.activations) / 8.0;
  double width = 0;
  for (std::size_t i = 0; i < sharded.layers.size(); ++i) {
    const llm::FeedForwardShape& f = sharded.layers[i].feed_forward;
    // Expert rows that land here for each token of this rank.
    const llm::Parallelism& p = sharded.parallelism;
    const double skew = sharded.balance[i] ? sharded.balance[i]->imbalance() : 1;
    const double expert_rows = p.expert > 1 ? skew * f.experts_per_token * p.data / p.expert : f.experts_per_token;
    width = std::max(width, f.dense_width + f.shared_width + expert_rows * f.expert_width);
  }
  const double tokens = std::ceil(static_cast<double>(spec.max_tokens) / (sharded.parallelism.data * sharded.parallelism.context));
  const double layer = tokens * (2.0 * sharded.model.hidden + 3 * width) * activation;
  const double rows = std::ceil(static_cast<double>(spec.max_sequences) / sharded.parallelism.data);
  const double sampling = 10.0 * 4 * rows * sharded.model.vocabulary;
  return std::max(layer, sampling);
}

std::string bytes_text(double bytes) { return format_quantity(bytes, "B", 4); }

}  // namespace

std::optional<MemoryPlan> memory_plan(const llm::ShardedShape& sharded, const hardware::DeviceSpec& device, const MemorySpec& spec,
                                      const Location& where, const std::string& path, Diagnostics& diagnostics) {
  invariant(spec.utilization > 0 && spec.utilization <= 1, "a memory spec is in range");
  if (!device.memory_bytes) {
    diagnostics.error(where, path, fmt::format("the catalog does not know memory_bytes of {}", device.name),
                      "set memory_bytes of the device; the result is then marked as assumed");
    return std::nullopt;
  }
  MemoryPlan plan;
  plan.memory_bytes = *device.memory_bytes;
  plan.usable_bytes = spec.utilization * plan.memory_bytes;
  plan.weight_bytes = sharded.weight_bytes;
  plan.activation_bytes = spec.activation_bytes.value_or(estimated_activation_bytes(sharded, spec));
  plan.runtime_bytes = spec.runtime_bytes;
  plan.kv_block_bytes = llm::group_bytes_per_token(sharded, spec.kv_layout) * spec.kv_layout.block_tokens();
  const double left = plan.usable_bytes - plan.weight_bytes - plan.activation_bytes - plan.runtime_bytes;
  plan.kv_blocks = static_cast<std::int64_t>(std::floor(std::max(left, 0.0) / plan.kv_block_bytes));
  plan.kv_tokens = plan.kv_blocks / spec.kv_layout.groups() * spec.kv_layout.block_tokens();
  plan.kv_bytes = static_cast<double>(plan.kv_blocks) * plan.kv_block_bytes;
  if (plan.kv_blocks > 0) return plan;

  std::string term = "one block of KV cache";
  if (plan.weight_bytes > plan.usable_bytes) term = "the weights";
  else if (plan.weight_bytes + plan.activation_bytes > plan.usable_bytes) term = "the activations beside the weights";
  else if (left < 0) term = "the runtime's buffers beside weights and activations";
  diagnostics.error(where, path,
                    fmt::format("{} of {} cannot hold {}: weights {}, activations {}, runtime {}, a KV block {}", bytes_text(plan.usable_bytes),
                                device.name, term, bytes_text(plan.weight_bytes), bytes_text(plan.activation_bytes),
                                bytes_text(plan.runtime_bytes), bytes_text(plan.kv_block_bytes)),
                    "spread the model over more devices, or store weights or KV cache in a narrower format");
  return std::nullopt;
}

}  // namespace rackwright::cost
