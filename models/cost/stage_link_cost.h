#pragma once

#include <memory>

#include "models/cost/collective_cost.h"
#include "models/cost/operator_cost.h"

namespace rackwright::cost {

/// Prices what pipeline stages send each other over a link of their own, and leaves all else to another model.
/// Not modelled: other traffic on that link.
class StageLinkCost final : public OperatorCostModel {
 public:
  StageLinkCost(std::shared_ptr<const OperatorCostModel> others, const ScaleUpSpec& link)
      : others_(std::move(others)), link_(link) {}

  OperatorCost cost(const llm::Operator& op) const override;
  std::vector<double> decode_knots(const llm::Operator& shortest, const llm::Operator& longest) const override {
    return others_->decode_knots(shortest, longest);
  }
  bool has_mixed_attention(const llm::Operator& layer) const override { return others_->has_mixed_attention(layer); }
  OperatorCost mixed_attention(const llm::Operator& layer, const MixedAttention& load) const override {
    return others_->mixed_attention(layer, load);
  }
  double uneven_share() const override { return others_->uneven_share(); }

 private:
  std::shared_ptr<const OperatorCostModel> others_;
  ScaleUpSpec link_;
};

}  // namespace rackwright::cost
