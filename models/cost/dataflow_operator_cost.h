#pragma once

#include <array>

#include "models/cost/dataflow_plan.h"
#include "models/cost/operator_cost.h"

namespace rackwright::cost {

/// Prices operators on the devices of one stage, taken together, of a statically scheduled machine:
///
///   t = max(flops / (e_c · n · F), bytes / (e_m · n · W)) + syncs · t_sync
///
/// Nothing is launched, and what lies between products (norms, activations, sampling) is fused into them and costs
/// nothing. What shares a layer (devices, the chiplets of a card, the cores of a wafer's region) meets after attention, after
/// the feed-forward part, and once more where a router chose experts:
///
///   t_sync(x) = sync + hops · hop + 2 (n − 1)/n · x / (eff(x) · link)
///
/// sync: the catalog's, fitted to a published speed, else 0. hops: the diameter. Nodes of eight devices are joined all to all, and each reaches four nodes either way (SHIP: 72
/// devices 3 hops, 136 devices 5); on a wafer both sides of the region. eff: 0.5 at 32 KiB and 0.9 from 80 KiB on, a
/// line between (SHIP, 64 devices); below 32 KiB a message takes as long as one of 32 KiB.
/// e_c and e_m: the catalog's achieved fractions, else 1; decode attention's own where the catalog has one.
/// Prompts on a wafer: rates are those of products of many rows, on the prompts' region of N x N cores, and every product takes
/// N shifts of its tiles more (MeshGEMM of WaferLLM, OSDI 2025), two products in attention.
/// Not modelled: products too small for the matrix units, placement of tensors, memory banks.
class DataflowOperatorCost final : public OperatorCostModel {
 public:
  /// What a wafer lays over its cores in another way; the same for other machines.
  enum class Tokens { decodes, prompts };

  /// Rates that must be known: see check_dataflow_inputs.
  DataflowOperatorCost(const llm::ModelShape& model, const hardware::DeviceSpec& device, const DataflowPlan& plan, Provenance provenance,
                       Tokens tokens = Tokens::decodes);

  OperatorCost cost(const llm::Operator& op) const override;
  std::vector<double> decode_knots(const llm::Operator& shortest, const llm::Operator& longest) const override;

  /// From one stage to the next: a hop and the residual rows of a beat.
  double handover_seconds(double tokens) const;
  /// Bytes of the KV cache that lie off chip instead of on it, read once by one stage.
  double off_chip_seconds(double bytes) const;
  Provenance provenance() const { return provenance_; }

 private:
  double compute_seconds(const llm::Operator& op) const;
  double memory_seconds(const llm::Operator& op) const;
  double sync_seconds(double message_bytes) const;

  double row_bytes_ = 0;  ///< Of the residual stream.
  double stage_devices_ = 1;
  std::array<double, 8> flop_per_s_{};  ///< Of the stage, by NumberFormat; 0 where it is not known and not needed.
  double attention_bytes_per_s_ = 0;    ///< Of the same memory, in decode attention.
  double shifts_s_ = 0;                 ///< Of the tiles of one product.
  double bytes_per_s_ = 0;              ///< Of the stage, from where the weights lie.
  double off_chip_bytes_per_s_ = 0;
  double link_bytes_per_s_ = 0;
  double sync_s_ = 0;
  double hop_s_ = 0;
  double hops_ = 0;
  Provenance provenance_;
};

/// Hops between the two furthest of `devices`.
int dataflow_diameter(int devices);

/// Names every figure that the cost of a model on the device needs and that is absent, as errors. True when there is none.
bool check_dataflow_inputs(const llm::ModelShape& model, const hardware::DeviceSpec& device, const DataflowPlan& plan,
                           const Location& where, const std::string& path, Diagnostics& diagnostics);

}  // namespace rackwright::cost
