#pragma once

#include <cstdint>
#include <optional>

#include "models/base/time.h"
#include "models/cost/step_cost.h"
#include "scenarios/results/request_outcome.h"

namespace rackwright::metrics {

using results::Cause;
using results::Outcome;
using results::RequestOutcome;

/// A stretch of engine steps of one instance that differ only in age: step k (from 0) starts when step
/// k - 1 has ended and lasts `cost.duration + k · cost.growth`.
struct Stretch {
  std::uint32_t pool = 0;
  std::uint32_t instance = 0;
  SimTime start;
  SimTime end;
  std::int64_t steps = 1;      ///< Steps done; at most cost.steps.
  cost::StepCost cost;         ///< As priced for the first of them.
  std::optional<SimTime> first_step{};  ///< What the first of them lasts, where that is not cost.duration.
  double sm_clock = 1;         ///< Fraction of the clock at which costs were taken.
  std::int32_t decode_sequences = 0;
  std::int64_t extra_tokens = 0;  ///< Emitted by all its steps beside one for each decoding sequence.
  std::int32_t prefill_sequences = 0;
  std::int32_t prefill_tokens = 0;  ///< Computed by each of the steps.
  std::int32_t waiting = 0;    ///< Requests queued at the instance when the stretch began.
  std::int64_t kv_blocks_used = 0;  ///< At its end.
  std::int64_t kv_blocks = 0;       ///< Capacity.
  std::int64_t kv_tokens = 0;       ///< Tokens with KV at its end; `decode_sequences` fewer for each step before.
};

/// A stretch is told within this time after its end; what was told before it has ended no later than that after it.
inline constexpr SimTime report_lag{picoseconds_per_second / 10};

/// `count` gaps between consecutive tokens of one request each: first, first + growth, …
/// once for each of `sequences` sequences.
struct TokenGaps {
  std::uint32_t pool = 0;
  SimTime first;
  SimTime growth;
  std::int64_t count = 0;
  std::int64_t sequences = 0;
  SimTime start;  ///< When the first of them began: places them in a measured window.
};

/// An instance of a pool that is scaled was on, so that it drew at least its idle power.
struct PoweredInterval {
  std::uint32_t pool = 0;
  std::uint32_t instance = 0;
  SimTime start;
  SimTime end;
};

/// What one device of a station did while nothing changed on it.
struct StationUse {
  std::uint32_t station = 0;
  std::uint32_t device = 0;  ///< Over all stations, as in RunLayout::station_devices.
  SimTime start;
  SimTime end;
  std::int32_t busy_workers = 0;
  std::int32_t jobs = 0;
  double memory_fraction = 0;
  std::int64_t power_mw = 0;
};

/// A job of a station has ended.
struct StationJob {
  std::uint32_t station = 0;
  SimTime queued;
  SimTime started;
  SimTime ended;
};

/// Watches a run and changes nothing in it: with every observer removed, no number differs.
/// Stretches of one instance arrive in order of time; those of different instances interleave by their end.
/// A step draws at least the idle power of its instance.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  /// Once for each request, when it leaves the system: in order of completion.
  virtual void on_request(const RequestOutcome&) {}
  virtual void on_stretch(const Stretch&) {}
  virtual void on_token_gaps(const TokenGaps&) {}
  /// Only for instances that can be off; in order of the ends, and beyond the last stretch perhaps.
  virtual void on_powered(const PoweredInterval&) {}
  /// Only while a device is busy; of one device in order of time, of several by their end.
  virtual void on_station_use(const StationUse&) {}
  virtual void on_station_job(const StationJob&) {}
};

}  // namespace rackwright::metrics
