#include "models/cost/layer_part.h"

namespace rackwright::cost {

Work sum_of(const std::vector<llm::Operator>& operators, const OperatorCostModel& model, LayerPart part) {
  Work work;
  LayerPart at = LayerPart::attention;
  for (const llm::Operator& op : operators) {
    if (op.kind != llm::OperatorKind::all_reduce) at = llm::is_feed_forward(op.kind) ? LayerPart::feed_forward : LayerPart::attention;
    const bool is_exchange = part != LayerPart::all && op.kind == llm::OperatorKind::all_to_all;
    if (is_exchange || (part != LayerPart::all && part != at)) continue;
    work.add(model.cost(op), op.count, op.kernels);
  }
  return work;
}

}  // namespace rackwright::cost
