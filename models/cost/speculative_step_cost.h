#pragma once

#include <memory>

#include "models/cost/step_cost.h"

namespace rackwright::cost {

/// A draft model on devices of its own, and what joins them to the target's.
struct DraftLink {
  /// serial    the draft waits for the verification, and the verification for the draft
  /// parallel  the draft goes on as if all would be accepted, while the target verifies; what was drafted in vain is done anew
  enum class Mode { serial, parallel };

  Mode mode = Mode::serial;
  double latency_s = 0;           ///< One way.
  double bytes_per_s = 1;         ///< Each way.
  double bytes_per_token = 4;     ///< Of each drafted token, one way: its id, and its probabilities where sampling needs them.
  double mean_acceptance = 0;     ///< Of a drafted token; only `parallel` depends on it.
};

/// Prices a step in which a draft proposes γ tokens of every decoding sequence and the target verifies them at once.
///
/// T_v is the target's step with γ + 1 tokens of each sequence (`verify` was built with these), T_d one step of the draft:
///   same devices         γ T_d + T_v
///   elsewhere, serial    γ T_d + 2 t_link + T_v
///   elsewhere, parallel  max(γ T_d + t_link, T_v + t_link) + (1 − α^(γ B)) · γ T_d'
/// with t_link = latency + γ B bytes / rate, and T_d' the draft's step for those of the B sequences that have something
/// rejected, (1 − α^γ) B of them and at least one. Prompts in the step pass the draft too. Without a draft model (n-gram
/// matching) only T_v is left.
///
/// Not modelled: trees of drafts; that the draft elsewhere serves several targets; a draft that stops early when unsure.
class SpeculativeStepCost final : public StepCostModel {
 public:
  /// `draft` may be null, and `link` be none (null) for a draft on the same devices. `drafted_tokens` γ ≥ 1.
  SpeculativeStepCost(std::shared_ptr<const StepCostModel> verify, std::shared_ptr<const StepCostModel> draft, int drafted_tokens,
                      const DraftLink* link);

  StepCost price(const StepShape& step, const OperatingPoint& at) const override;
  bool needs_contexts() const override;
  /// Of the target's devices.
  std::int64_t idle_power_mw() const override { return verify_->idle_power_mw(); }
  std::optional<power::ClockControl> clock_control() const override { return verify_->clock_control(); }

 private:
  /// γ steps of the draft, the first with the prompts of the step.
  StepCost draft_steps(const StepShape& step, const OperatingPoint& at) const;
  StepCost on_same_devices(const StepCost& verify, const StepCost& draft) const;
  StepCost elsewhere(const StepShape& step, const StepCost& verify, const StepCost& draft) const;
  SimTime redone(const StepShape& step) const;

  std::shared_ptr<const StepCostModel> verify_;
  std::shared_ptr<const StepCostModel> draft_;
  int drafted_tokens_;
  bool is_elsewhere_;
  DraftLink link_;
};

}  // namespace rackwright::cost
