#pragma once

#include <cstdint>
#include <vector>

#include "models/cost/step_cost.h"

namespace rackwright::cost {

/// Seconds over a number of tokens: a straight line between points, the first value below them, and the last line
/// beyond. Points ascend; no time falls.
struct TimePoint {
  double tokens = 0;
  double seconds = 0;
};

/// Times of steps as somebody states them, instead of a model of a device:
///
///   prefill = constant + per_token · Σ n + per_token_squared · Σ n²     over the prompts' tokens
///   decode  = constant + per_sequence · B + per_context_token · Σ s     B sequences of s tokens
///
/// the form of DistServe's estimator (LLMServe/DistServe, simdistserve), or tables over the tokens of all prompts and
/// over all context tokens, the form of Splitwise's. A chunk after p tokens costs what (p + n)² − p² says.
/// A step with both lasts as long as the two after one another.
struct StatedStepTimes {
  struct Prefill {
    double constant_s = 0;
    double per_token_s = 0;
    double per_token_squared_s = 0;
    std::vector<TimePoint> table;  ///< Instead of the formula, unless empty.
  };
  struct Decode {
    double constant_s = 0;
    double per_sequence_s = 0;
    double per_context_token_s = 0;
    std::vector<TimePoint> table;
  };
  Prefill prefill;
  Decode decode;
  Decode large_decode;        ///< For more than large_batch sequences.
  std::int32_t large_batch = 0;  ///< 0: `decode` holds for every batch.
  double busy_w = 0;          ///< Of all devices of the instance while a step runs.
  double idle_w = 0;
};

/// Prices steps by stated times. Provenance assumed. Lower clocks stretch prompts and leave decodes alone.
class StatedStepCost final : public StepCostModel {
 public:
  explicit StatedStepCost(StatedStepTimes times) : times_(std::move(times)) {}

  StepCost price(const StepShape& step, const OperatingPoint& at) const override;
  std::int64_t idle_power_mw() const override;

 private:
  double prefill_seconds(const StepShape& step) const;

  StatedStepTimes times_;
};

}  // namespace rackwright::cost
