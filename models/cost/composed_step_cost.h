#pragma once

#include <array>
#include <memory>
#include <vector>

#include "models/cost/decode_stretch.h"
#include "models/cost/decode_table.h"
#include "models/cost/execution_spec.h"
#include "models/cost/operator_cost.h"
#include "models/cost/step_cost.h"
#include "models/llm/sharding.h"
#include "models/power/device_power.h"

namespace rackwright::cost {

/// Prices steps as the sum of their operators on the device with the most to do, and the host.
///
/// What depends on the number of tokens, of sampled rows, and of sequences with their mean context is tabled at
/// construction. A stretch of decode steps is one straight piece of all of these: it ends where a decode table, a window
/// or an uneven batch bends, where computing overtakes the host or the communication beside it, and after
/// `DecodeStretch::longest` steps, within which power is held.
/// Durations are whole picoseconds that depend on the age of a batch, not on where a stretch began: stopping a stretch
/// anywhere and pricing again gives the rest of it.
///
/// Pipeline stages follow one another: a step lasts as long as all of them, and each device idles for the other stages.
/// Not modelled: several batches in flight through the stages.
class ComposedStepCost final : public StepCostModel {
 public:
  ComposedStepCost(const llm::ShardedShape& sharded, std::shared_ptr<const OperatorCostModel> operators,
                   const ExecutionSpec& execution, const power::DevicePower& power);

  StepCost price(const StepShape& step, const OperatingPoint& at) const override;
  bool needs_contexts() const override { return needs_contexts_; }
  std::int64_t idle_power_mw() const override;
  std::optional<power::ClockControl> clock_control() const override;

 private:
  /// What padding makes of a step.
  struct Padded {
    std::int64_t tokens = 0;
    std::int64_t rows = 0;
    ExecutionMode mode = ExecutionMode::eager;
  };
  Padded pad(const StepShape& step) const;
  Work price_tokens(std::int64_t tokens) const;
  Work token_work(std::int64_t tokens) const;
  Work row_work(std::int64_t rows) const;
  OperatorCost prefill_cost(const llm::LayerShape& layer, const PrefillChunk& chunk) const;
  /// Whether both halves of this step take turns.
  bool is_halved(const StepShape& step) const;
  void add_decode(const StepShape& step, DecodeStretch& stretch) const;
  void add_prefill(const StepShape& step, Work& work) const;
  void add_mixed_attention(const StepShape& step, Work& work) const;
  StepCost settle(const DecodeStretch& stretch, ExecutionMode mode, const OperatingPoint& at) const;
  power::StepActivity activity(const Work& work, const OperatingPoint& at) const;
  std::int64_t power_mw(const Work& work, double host_s, const OperatingPoint& at) const;

  llm::ShardedShape sharded_;
  std::shared_ptr<const OperatorCostModel> operators_;
  ExecutionSpec execution_;
  power::DevicePower power_;
  std::vector<Work> token_work_;  ///< By tokens of the instance.
  std::vector<Work> row_work_;    ///< By sampled rows of the instance.
  std::vector<Work> decode_exchange_;  ///< By decoding sequences, where devices share their KV; else empty.
  std::vector<DecodeTable> decode_;
  std::vector<llm::Operator> mixed_;  ///< Decode attention of each layer kind, when one kernel serves it with prefill.
  bool needs_contexts_ = false;
};

}  // namespace rackwright::cost
