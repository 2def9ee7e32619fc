#include "models/cost/stated_step_cost.h"

#include <algorithm>
#include <cmath>

#include "models/base/saturating.h"
#include "models/cost/decode_stretch.h"

namespace rackwright::cost {
namespace {

/// The straight piece of a table at some number of tokens: seconds = at_zero + slope · tokens, up to `end`.
struct Piece {
  double at_zero = 0;
  double slope = 0;
  double end = 0;  ///< 0: no end.
};

Piece piece_of(const std::vector<TimePoint>& table, double tokens) {
  const auto right = std::ranges::upper_bound(table, tokens, {}, &TimePoint::tokens);
  if (right == table.begin()) return {table.front().seconds, 0, table.front().tokens};
  if (table.size() == 1) return {table.front().seconds, 0, 0};
  const bool beyond = right == table.end();
  const TimePoint& b = beyond ? table.back() : *right;
  const TimePoint& a = beyond ? table[table.size() - 2] : *(right - 1);
  const double slope = (b.seconds - a.seconds) / (b.tokens - a.tokens);
  return {a.seconds - slope * a.tokens, slope, beyond ? 0 : b.tokens};
}

/// Times are stated to be met, by simulators that count in floating point: within 1e-8 s after a thousand steps.
constexpr std::int64_t steps_between_roundings = 64;

/// A stretch of decodes: duration + k · growth, of the step whose batch has `age` as its mean context.
struct DecodeTime {
  SimTime duration;
  SimTime growth;
  std::int64_t steps = steps_between_roundings;
};

DecodeTime decode_time(const StatedStepTimes::Decode& times, const StepShape& step) {
  const double sequences = step.decode_sequences;
  const double tokens = static_cast<double>(step.decode_context_tokens);
  const std::int64_t age = step.decode_context_tokens / step.decode_sequences;
  Piece piece{times.constant_s + times.per_sequence_s * sequences, times.per_context_token_s, 0};
  if (!times.table.empty()) piece = piece_of(times.table, tokens);
  DecodeTime time;
  time.growth = sim_time(piece.slope * sequences);
  // From an age on that is the same wherever between two of them a stretch begins. The growth is rounded to a picosecond, which
  // may be off by half of one for every step since: 16 in the mean of many.
  const std::int64_t since = age % steps_between_roundings;
  const double at_rounding = piece.at_zero + piece.slope * static_cast<double>(step.decode_context_tokens - since * step.decode_sequences);
  time.duration = saturating_sum(sim_time(at_rounding), saturating_product(time.growth, since));
  time.steps = steps_between_roundings - since;
  if (piece.end > 0) time.steps = steps_until(piece.end, tokens, sequences, time.steps);
  return time;
}

}  // namespace

double StatedStepCost::prefill_seconds(const StepShape& step) const {
  double tokens = 0;
  double squares = 0;
  for (const PrefillChunk& chunk : step.prefill) {
    const double past = chunk.past_tokens;
    const double all = past + chunk.new_tokens;
    tokens += chunk.new_tokens;
    squares += all * all - past * past;
  }
  const StatedStepTimes::Prefill& times = times_.prefill;
  if (times.table.empty()) return times.constant_s + times.per_token_s * tokens + times.per_token_squared_s * squares;
  const Piece piece = piece_of(times.table, tokens);
  return piece.at_zero + piece.slope * tokens;
}

StepCost StatedStepCost::price(const StepShape& step, const OperatingPoint& at) const {
  StepCost cost;
  cost.power_mw = std::llround(times_.busy_w * 1e3);
  cost.provenance[static_cast<std::size_t>(Provenance::assumed)] = 1;
  if (step.decode_sequences > 0) {
    const bool large = times_.large_batch > 0 && step.decode_sequences > times_.large_batch;
    const DecodeTime decode = decode_time(large ? times_.large_decode : times_.decode, step);
    cost.duration = decode.duration;
    cost.parts.memory_s = decode.duration.seconds();
    if (step.prefill.empty()) {
      cost.growth = decode.growth;
      cost.provenance_growth_s[static_cast<std::size_t>(Provenance::assumed)] = static_cast<float>(decode.growth.seconds());
      cost.steps = decode.steps;
    }
  }
  if (!step.prefill.empty()) {
    const SimTime prefill = sim_time(prefill_seconds(step) / at.sm_clock);
    cost.duration = saturating_sum(cost.duration, prefill);
    cost.parts.sm_clock_s = prefill.seconds();
  }
  cost.duration = std::max(cost.duration, SimTime{1});
  return cost;
}

std::int64_t StatedStepCost::idle_power_mw() const { return std::llround(times_.idle_w * 1e3); }

}  // namespace rackwright::cost
