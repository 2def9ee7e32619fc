#pragma once

#include <array>
#include <cstdint>
#include <span>

#include <optional>

#include "models/base/time.h"
#include "models/power/clock_control.h"

namespace rackwright::cost {

/// Where a cost came from, from the most to the least trustworthy.
enum class Provenance { measured, extrapolated, calibrated, datasheet, assumed };
inline constexpr int provenance_count = 5;

/// Tokens of one request that a step computes as prefill, after `past_tokens` whose KV exists already.
struct PrefillChunk {
  std::int32_t new_tokens = 0;
  std::int32_t past_tokens = 0;
  bool last = false;  ///< Ends the prompt, so that the step samples one token from it.
};

/// One forward pass of one instance: what the cost of a step depends on.
struct StepShape {
  std::int32_t decode_sequences = 0;       ///< Sequences that compute one token each.
  std::int64_t decode_context_tokens = 0;  ///< Sum over them of the KV tokens attended, the new one included.
  std::int32_t decode_context_max = 0;     ///< The longest of those.
  /// Each sequence's KV tokens, in any order; filled only for a model that `needs_contexts()`.
  std::span<const std::int32_t> decode_contexts;
  std::span<const PrefillChunk> prefill;
};

/// Seconds of a step by what bounds them; they sum to its duration. A lower SM clock stretches
/// `sm_clock_s` alone. `link_s` is communication that nothing hides.
struct StepParts {
  double sm_clock_s = 0;
  double memory_s = 0;
  double link_s = 0;
  double host_s = 0;
};

/// What a step asks of an instance of another pool that works for it (a draft model elsewhere), within its duration.
struct PartnerCost {
  SimTime busy;               ///< None: 0.
  std::int64_t power_mw = 0;  ///< Of all its devices while it is busy.
};

/// The cost of a stretch: the step asked for and the `steps - 1` after it, as long as nothing changes
/// but that every decode sequence is one token longer each step.
/// Step k (from 0) lasts duration + k · growth. Integer and affine, so that a jump over the stretch
/// and a walk through it agree bit for bit; power is one value over the stretch for the same reason.
struct StepCost {
  SimTime duration;
  SimTime growth;
  std::int64_t steps = 1;     ///< At least 1; a stretch ends where the cost model changes piece.
  std::int64_t power_mw = 0;  ///< Mean electric power of all devices of the instance, in milliwatts.
  StepParts parts;            ///< Of the first step.
  PartnerCost partner;        ///< In every step of the stretch.
  std::array<float, provenance_count> provenance{};  ///< Shares of the first step's duration; they sum to 1.
  /// Seconds that each of those gains from one step to the next; they sum to the growth.
  std::array<float, provenance_count> provenance_growth_s{};
};

/// What limits the devices of an instance at present.
struct OperatingPoint {
  double sm_clock = 1;  ///< Fraction of the clock at which the costs were measured, in (0, 1].
  double sm_share = 1;  ///< Fraction of the SMs left beside transfers that take some, in (0, 1].
  bool operator==(const OperatingPoint&) const = default;
};

/// Prices the steps of one instance: one model, sharded over one set of devices, executed one way.
///
/// Contract: pure (the same arguments give the same answer, whoever asked before), never negative,
/// duration at least 1 ps, growth at least 0. Implementations build their tables once; `price` allocates nothing.
class StepCostModel {
 public:
  virtual ~StepCostModel() = default;
  virtual StepCost price(const StepShape& step, const OperatingPoint& at) const = 0;
  /// Whether `price` reads `StepShape::decode_contexts` (sliding windows, uneven-batch corrections).
  virtual bool needs_contexts() const { return false; }
  /// Electric power of the instance's devices between steps, in milliwatts.
  virtual std::int64_t idle_power_mw() const = 0;
  /// How the boards hold their mean power within a limit by lowering `OperatingPoint::sm_clock`; nothing when no step can
  /// pass it.
  virtual std::optional<power::ClockControl> clock_control() const { return std::nullopt; }
};

}  // namespace rackwright::cost
