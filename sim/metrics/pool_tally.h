#pragma once

#include <algorithm>
#include <cstdint>

#include "scenarios/results/run_summary.h"
#include "sim/metrics/decode_batch_tally.h"
#include "sim/metrics/int128.h"
#include "sim/metrics/run_observer.h"

namespace rackwright::metrics {

/// Parts of a clock that are told apart: sums of whole numbers do not depend on where a stretch was cut.
inline constexpr double clock_loss_unit = 0x1p20;

/// (1 − clock) · time, in picoseconds over clock_loss_unit.
inline Int128 clock_loss(const Stretch& stretch, SimTime busy) {
  return Int128{static_cast<std::int64_t>((1 - stretch.sm_clock) * clock_loss_unit + 0.5)} * busy.ps;
}

/// How busy the instances of one pool were.
class PoolTally {
 public:
  /// Its instances are on for as long as is told.
  void expect_powered() { is_scaled_ = true; }
  /// `busy` and `steps` are the stretch's inside the measured window.
  void add(const Stretch& stretch, SimTime busy, std::int64_t steps) {
    busy_ps_ += busy.ps;
    steps_ += steps;
    sequences_ += Int128{stretch.decode_sequences + stretch.prefill_sequences} * steps;
    if (stretch.sm_clock < 1) {
      throttled_ps_ += busy.ps;
      clock_loss_ += clock_loss(stretch, busy);
    }
    decodes_ += Int128{stretch.decode_sequences} * steps;
    extra_tokens_ += stretch.steps > 0 ? stretch.extra_tokens * steps / stretch.steps : 0;
    decode_batches_.add(stretch, busy, steps);
    if (stretch.kv_blocks > 0) {
      has_kv_ = true;
      kv_peak_ = std::max(kv_peak_, static_cast<double>(stretch.kv_blocks_used) / static_cast<double>(stretch.kv_blocks));
    }
  }
  void add_powered(SimTime length) { powered_ps_ += length.ps; }
  void add_preemptions(std::int32_t count) { preemptions_ += count; }

  results::PoolSummary summary(const results::PoolDescription& pool, SimTime measured) const {
    results::PoolSummary summary;
    summary.name = pool.name;
    summary.busy_s = static_cast<double>(busy_ps_) / 1e12;
    const Int128 available = is_scaled_ ? powered_ps_ : Int128{measured.ps} * pool.instances;
    if (is_scaled_ && measured.ps > 0) summary.mean_replicas = static_cast<double>(powered_ps_) / static_cast<double>(measured.ps);
    if (available > 0) summary.utilization = static_cast<double>(busy_ps_) / static_cast<double>(available);
    summary.steps = steps_;
    if (steps_ > 0) summary.mean_batch = static_cast<double>(sequences_) / static_cast<double>(steps_);
    if (extra_tokens_ > 0) summary.tokens_per_decode = 1 + static_cast<double>(extra_tokens_) / static_cast<double>(decodes_);
    if (has_kv_) summary.kv_peak_fraction = kv_peak_;
    summary.preemptions = preemptions_;
    if (throttled_ps_ > 0) {
      const double lost = static_cast<double>(clock_loss_) / clock_loss_unit / static_cast<double>(busy_ps_);
      summary.clock = {static_cast<double>(throttled_ps_) / 1e12, 1 - lost};
    }
    summary.decode_batches = decode_batches_.batches();
    return summary;
  }

 private:
  DecodeBatchTally decode_batches_;
  Int128 busy_ps_ = 0;
  std::int64_t steps_ = 0;
  Int128 sequences_ = 0;
  Int128 throttled_ps_ = 0;
  Int128 clock_loss_ = 0;
  Int128 decodes_ = 0;
  std::int64_t extra_tokens_ = 0;
  double kv_peak_ = 0;
  bool has_kv_ = false;
  bool is_scaled_ = false;
  Int128 powered_ps_ = 0;
  std::int64_t preemptions_ = 0;
};

}  // namespace rackwright::metrics
