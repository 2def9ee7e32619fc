#pragma once

#include <map>
#include <memory>
#include <optional>

#include "models/cost/collective_cost.h"
#include "models/cost/grid_table.h"
#include "models/cost/grouped_table.h"
#include "models/cost/measured_collectives.h"
#include "models/cost/operator_cost.h"
#include "models/cost/operator_profile.h"
#include "models/hardware/device_spec.h"

namespace rackwright::cost {

/// Prices operators from measured tables, and what no table holds by another model.
///
/// Inside a grid: linear interpolation, provenance measured. Prompts are computed in tiles, so that one token more than a
/// multiple costs nearly another tile: halfway between the line and the next measured number of tokens (off-grid prompts
/// on an H200: median error 1.3 %, 95th percentile 8.4 %; the line alone 2.1 and 16.5 %, the next number alone 2.4 and
/// 13.4 %; for products and decodes the line is best). Memory-bound layers of a width between two measured ones: lines between the same
/// tokens and between the same bytes, which decide what a cache holds (over_widths). Outside: the edge's line, provenance extrapolated. A shape
/// without a table of its own takes that of the nearest shape in the logarithms of its dimensions (a product: the weighted
/// geometric mean of several), at the same rows or tokens, times the ratio that the other model gives for the two:
/// provenance calibrated. Products over experts take the nearest shape at the same experts in use and rows each, in proportion
/// to the values of a weight matrix: every shape of an H200's grid left out in turn, median error 8 %, at most 21 %.
/// Collectives: MeasuredCollectives. Only what was measured is measured. Products with 8-bit weights in blocks, or in fp16, cost what per-tensor fp8 and bf16 do: calibrated.
/// Weights stored narrower than they are multiplied are the other model's. Attention that does other work than the measured kernel at
/// its place (another format of KV cache, windows) scales it by what the other model gives for the two: calibrated.
/// A duration is split by what the operator moves and computes: what the device needs at its best for the bytes is
/// memory-bound, when that is more than the arithmetic needs; the rest is bound by the SM clock, as it was while the
/// operator ran: a step at clock 1 lasts what its operators lasted when they were measured.
class MeasuredOperatorCost final : public OperatorCostModel {
 public:
  /// `device` gives the peaks. `others` prices what was not measured. `scale_up`: which all-reduces are not the library's.
  MeasuredOperatorCost(const OperatorProfile& profile, const hardware::DeviceSpec& device,
                       std::shared_ptr<const OperatorCostModel> others, const std::optional<ScaleUpSpec>& scale_up = std::nullopt);

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
  const std::pair<const ProfileKey, Table>* nearest(const ProfileKey& key) const;
  OperatorCost collective(const llm::Operator& op) const;
  OperatorCost product(const llm::Operator& op, const ProfilePlace& place) const;
  OperatorCost grouped_product(const llm::Operator& op, const ProfilePlace& place) const;
  OperatorCost attention(const Table& table, std::span<const double> at_place, const llm::Operator& op, const llm::Operator& measured) const;
  /// A table's entry times what the other model gives for the operator against `stand_in`, the entry's own.
  OperatorCost scaled(const Table& table, std::span<const double> at_place, const llm::Operator& op, const llm::Operator& stand_in) const;
  OperatorCost from_other_products(const llm::Operator& op, const ProfilePlace& place) const;
  OperatorCost at(const Table& table, std::span<const double> place, const llm::Operator& op) const;
  OperatorCost split(const llm::Operator& op, double seconds, bool inside) const;

  struct GroupedProducts {
    GroupedTable seconds;
    GridTable clock;  ///< Over the rows of each group.
  };

  std::map<ProfileKey, Table> tables_;
  std::map<ProfileKey, GroupedProducts> grouped_;
  MeasuredCollectives collectives_;
  MeasuredCollectives one_shot_;  ///< All-reduces of engines.
  std::shared_ptr<const OperatorCostModel> others_;
  std::optional<ScaleUpSpec> scale_up_;
  hardware::PeakRates peak_;
  double memory_bytes_per_s_ = 0;
  double achieved_memory_fraction_ = 0;
  double uneven_share_ = 0;
};

/// The share of OperatorCostModel::uneven_share that meets uneven batches best, by least squares; 0 to 1.
double fit_uneven_share(const OperatorProfile& profile);

}  // namespace rackwright::cost
