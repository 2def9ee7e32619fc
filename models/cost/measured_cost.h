#pragma once

#include <map>
#include <memory>

#include "models/cost/grid_table.h"
#include "models/cost/operator_cost.h"
#include "models/cost/operator_profile.h"
#include "models/hardware/device_spec.h"

namespace rackwright::cost {

/// Prices operators from measured tables, and what no table holds by another model.
///
/// Inside a grid: linear interpolation, provenance measured. Outside: the edge's line, provenance extrapolated.
/// A duration is split by what the operator moves and computes: what the device needs at its best for the bytes is
/// memory-bound, when that is more than the arithmetic needs; the rest is bound by the SM clock, as it was while the
/// operator ran: a step at clock 1 lasts what its operators lasted when they were measured.
class MeasuredOperatorCost final : public OperatorCostModel {
 public:
  /// `device` gives the peaks. `others` prices what was not measured.
  MeasuredOperatorCost(const OperatorProfile& profile, const hardware::DeviceSpec& device,
                       std::shared_ptr<const OperatorCostModel> others);

  OperatorCost cost(const llm::Operator& op) const override;
  std::vector<double> decode_knots(const llm::Operator& shortest, const llm::Operator& longest) const override;
  bool has_mixed_attention(const llm::Operator& layer) const override;
  OperatorCost mixed_attention(const llm::Operator& layer, const MixedAttention& load) const override;
  double uneven_share() const override { return uneven_share_; }

 private:
  struct Table {
    GridTable seconds;
    GridTable clock;  ///< Fraction of the full clock while it ran.
  };
  const Table* find(const ProfileKey& key) const;
  OperatorCost at(const Table& table, std::span<const double> place, const llm::Operator& op) const;
  OperatorCost split(const llm::Operator& op, double seconds, bool inside) const;

  std::map<ProfileKey, Table> tables_;
  std::shared_ptr<const OperatorCostModel> others_;
  hardware::PeakRates peak_;
  double memory_bytes_per_s_ = 0;
  double achieved_memory_fraction_ = 0;
  double uneven_share_ = 0;
};

/// The share that makes t(mean) + share · (t(max) − t(mean)) meet uneven batches best, by least squares; 0 to 1.
double fit_uneven_share(const OperatorProfile& profile);

}  // namespace rackwright::cost
