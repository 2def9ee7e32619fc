#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "models/base/step_clock.h"

namespace rackwright::results {

/// What a step computes: prompts, one token for each running sequence, or both at once; `other` is neither.
enum class StepKind : std::uint8_t { prefill, decode, mixed, other };
inline constexpr std::size_t step_kind_count = 4;

/// Consecutive steps of one instance that differ only in age. What a run jumped over is one stretch, and every step of it
/// follows exactly:
///
///   step k (from 0) of `steps` runs from boundary(k) to boundary(k + 1)
///   boundary(0) = start,  boundary(k) = start + first + (k − 1) · duration + growth · k (k − 1) / 2
///
/// `first` is `duration`, but where the clock of the devices changed within the step: what came before is then the tail of
/// the stretch before, from its last boundary to its end.
struct StepStretch {
  std::uint32_t instance = 0;  ///< Over all instances of the run.
  SimTime start;
  SimTime end;
  std::int64_t steps = 0;
  SimTime first;
  SimTime duration;
  SimTime growth;
  std::int32_t decode_sequences = 0;
  std::int32_t prefill_sequences = 0;
  std::int32_t prefill_tokens = 0;    ///< Computed by each of the steps.
  std::int64_t extra_tokens = 0;      ///< Of all steps, beside one for each decoding sequence.
  std::int32_t waiting = 0;           ///< Requests queued at the instance when it began.
  std::int64_t kv_blocks_used = 0;    ///< At its end,
  std::int64_t kv_blocks = 0;         ///< of so many.
  std::int64_t power_mw = 0;          ///< Of the instance's devices.

  StepKind kind() const {
    if (prefill_tokens > 0 || prefill_sequences > 0) return decode_sequences > 0 ? StepKind::mixed : StepKind::prefill;
    return decode_sequences > 0 ? StepKind::decode : StepKind::other;
  }
  std::int32_t sequences() const { return decode_sequences + prefill_sequences; }
  SimTime boundary(std::int64_t k) const { return k == 0 ? start : clock().boundary(k); }
  /// Steps that have ended at `when`.
  std::int64_t steps_ended(SimTime when) const {
    if (when >= end) return steps;
    return when < start + first ? 0 : clock().steps_ended(when, steps);
  }
  /// Tokens that sequences have got from the first `k` steps; the extra ones are spread evenly.
  std::int64_t decode_tokens(std::int64_t k) const {
    const std::int64_t extra = steps > 0 ? static_cast<std::int64_t>(static_cast<double>(extra_tokens) * static_cast<double>(k) / static_cast<double>(steps)) : 0;
    return decode_sequences * k + extra;
  }

 private:
  StepClock clock() const { return {start + first - duration, std::max(duration, SimTime{1}), growth}; }
};

/// What stretches of one instance add up to over some time.
struct StepTotals {
  std::array<std::int64_t, step_kind_count> busy_ps{};  ///< By kind.
  std::int64_t steps = 0;  ///< That ended in it.
  std::int64_t prefill_tokens = 0;
  std::int64_t decode_tokens = 0;
  double sequence_s = 0;  ///< Sequences in the batch, times how long.
  std::int32_t largest_batch = 0;

  std::int64_t busy() const { return busy_ps[0] + busy_ps[1] + busy_ps[2] + busy_ps[3]; }
  /// Over the time in which there were steps; 0 without any.
  double mean_batch() const { return busy() > 0 ? sequence_s * 1e12 / static_cast<double>(busy()) : 0; }
  StepTotals& operator+=(const StepTotals& other);
};

/// What of a stretch falls into (from, to]: a step counts where it ends.
StepTotals totals_within(const StepStretch& stretch, SimTime from, SimTime to);

}  // namespace rackwright::results
