#include "models/cost/stage_link_cost.h"

namespace rackwright::cost {

OperatorCost StageLinkCost::cost(const llm::Operator& op) const {
  if (op.kind != llm::OperatorKind::send) return others_->cost(op);
  OperatorCost result;
  result.parts.link_s = collective_seconds(link_, op);
  result.provenance = Provenance::assumed;  // Its bandwidth is the scenario's.
  return result;
}

}  // namespace rackwright::cost
