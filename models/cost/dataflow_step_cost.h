#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "models/cost/dataflow_operator_cost.h"
#include "models/cost/dataflow_plan.h"
#include "models/cost/decode_stretch.h"
#include "models/cost/decode_table.h"
#include "models/cost/execution_spec.h"
#include "models/cost/step_cost.h"
#include "models/llm/sharding.h"

namespace rackwright::cost {

/// How many sequences a step may have, what part of it is computed here, and the power of one device.
struct DataflowLimits {
  int max_sequences = 256;
  double idle_w = 0;
  double limit_w = 0;
  LayerPart part = LayerPart::all;
};

/// Prices the steps of a pipeline of statically scheduled stages. A step is one rotation: every running sequence passes
/// all stages once.
///
/// N sequences on S stages go in G = ceil(N / b) beats of b = ceil(N / S) sequences, the smallest beats that never wait for
/// one another's stage. With p(b) the pass of a beat through all layers and r the share of the slowest stage in it,
///
///   step = max(p, G · r · p)              a token takes p while G ≤ 1/r; then the slowest stage sets the pace
///   step = max(p, G · r · p + P · r · q, q + (P − 1) · r · q)   with P beats of prompt that enter first, q a pass of one
///
/// so that throughput is min(N / p, b / slowest stage). Prompts go in the beats, of 1, 2, 4 … tokens, that end first.
/// KV that the chips do not hold is read from off chip by every pass.
///
/// A rotation ends for all sequences at once here; in the machine they end one after another within it. A request alone
/// is exact, and so is the time between tokens; a request that joins waits for the end of a rotation, at most one. Beats
/// are padded: a schedule is compiled for b sequences.
/// The feed-forward side alone gets what a micro-batch sends after each layer's attention: it passes in one beat, and the
/// pass is the step.
/// On a wafer prompts pass one after another, whole, one layer after another on their region, and decodes wait: the step is
/// the rotation and these passes (WaferLLM).
/// Power: idle + (limit − idle) · share of the time that stages are busy. Not modelled: jitter, since there is none;
/// reloading of programs; decodes and prompts that share a beat.
class DataflowStepCost final : public StepCostModel {
 public:
  DataflowStepCost(const llm::ShardedShape& whole, const DataflowPlan& plan, std::shared_ptr<const DataflowOperatorCost> operators,
                   std::shared_ptr<const DataflowOperatorCost> prompt_operators, const DataflowLimits& limits);

  StepCost price(const StepShape& step, const OperatingPoint& at) const override;
  bool needs_contexts() const override { return needs_contexts_; }
  std::int64_t idle_power_mw() const override;

 private:
  /// Beats that go through the stages alike.
  struct Beats {
    double count = 0;
    Work pass;
  };

  DecodeStretch decode_pass(const StepShape& step, std::int64_t sequences_per_beat, std::int64_t beats) const;
  void add_off_chip(const StepShape& step, std::int64_t beats, DecodeStretch& stretch) const;
  Beats prompt_beats(const StepShape& step, double decode_s) const;
  /// Every prompt by itself on the region of a wafer.
  Work prompts_on_region(const StepShape& step) const;
  StepCost with_prompts_between(const Beats& decode, const Work& prompts, const OperatingPoint& at) const;
  StepCost rotation(const DecodeStretch& decode, double decode_beats, const OperatingPoint& at) const;
  StepCost with_prompts(const Beats& decode, const Beats& prompts, const OperatingPoint& at) const;
  void finish(const Work& work, double busy_s, StepCost& cost, const OperatingPoint& at) const;

  llm::ShardedShape whole_;
  DataflowPlan plan_;
  std::shared_ptr<const DataflowOperatorCost> operators_;
  std::shared_ptr<const DataflowOperatorCost> prompt_operators_;
  DataflowLimits limits_;
  double slowest_ = 1;  ///< r
  std::vector<Work> decode_work_;  ///< By sequences of a beat, without attention.
  std::vector<Work> prompt_work_;  ///< By the binary logarithm of the tokens of a beat, without attention.
  Work sampled_row_;
  std::vector<DecodeTable> decode_;
  bool needs_contexts_ = false;
};

}  // namespace rackwright::cost
