#include "models/cost/operator_cost.h"

#include "models/base/invariant.h"

namespace rackwright::cost {

bool OperatorCostModel::has_mixed_attention(const llm::Operator&) const { return false; }

OperatorCost OperatorCostModel::mixed_attention(const llm::Operator&, const MixedAttention&) const {
  invariant(false, "mixed attention is asked only of a model that has it");
  return {};
}

void Work::add(const OperatorCost& cost, double times, double kernels_of_one) {
  parts.sm_clock_s += cost.parts.sm_clock_s * times;
  parts.memory_s += cost.parts.memory_s * times;
  parts.link_s += cost.parts.link_s * times;
  parts.host_s += cost.parts.host_s * times;
  memory_busy_s += cost.memory_busy_s * times;
  compute_busy_s += cost.compute_busy_s * cost.clock * times;
  active_s += cost.seconds() * cost.clock * times;
  kernels += kernels_of_one * times;
  seconds[static_cast<std::size_t>(cost.provenance)] += cost.seconds() * times;
}

Work& Work::operator+=(const Work& more) {
  add_scaled(more, 1);
  return *this;
}

void Work::add_scaled(const Work& more, double factor) {
  parts.sm_clock_s += more.parts.sm_clock_s * factor;
  parts.memory_s += more.parts.memory_s * factor;
  parts.link_s += more.parts.link_s * factor;
  parts.host_s += more.parts.host_s * factor;
  memory_busy_s += more.memory_busy_s * factor;
  compute_busy_s += more.compute_busy_s * factor;
  active_s += more.active_s * factor;
  kernels += more.kernels * factor;
  for (std::size_t i = 0; i < seconds.size(); ++i) seconds[i] += more.seconds[i] * factor;
  turns.add_scaled(more.turns, factor);
}

}  // namespace rackwright::cost
