#pragma once

#include <cstdint>
#include <span>

#include "models/base/time.h"
#include "models/cost/step_cost.h"
#include "traces/records/request.h"

namespace rackwright::metrics {

enum class Outcome { completed, rejected, failed, cancelled };

/// Why a request did not complete.
enum class Cause {
  none,
  no_pool,           ///< No pool serves its model.
  context_too_long,  ///< Input and output exceed what the model or its pool accepts.
  kv_too_small,      ///< Its KV could never fit, even on an empty instance.
  admission,         ///< An admission rule turned it away.
  timed_out,         ///< Its client gave up.
  parent_lost,       ///< The request it depends on did not complete.
};

/// What became of one request; reported once, when it leaves the system. Tokens are conserved:
/// computed_input + cached_input = input for a completed request without preemption.
struct RequestOutcome {
  std::uint64_t id = 0;
  Outcome outcome = Outcome::completed;
  Cause cause = Cause::none;
  std::uint32_t pool = 0;      ///< Index of the pool that emitted the tokens.
  std::uint32_t instance = 0;  ///< Index over all instances of the run.
  std::uint32_t request_class = 0;
  SimTime arrival;      ///< At the front door: TTFT counts from here.
  SimTime scheduled;    ///< First step that computed something for it started.
  SimTime first_token;  ///< Step that emitted it ended.
  SimTime last_token;
  SimTime longest_gap;  ///< Between two tokens of it.
  std::int32_t input_tokens = 0;
  std::int32_t output_tokens = 0;  ///< Emitted.
  std::int32_t cached_input_tokens = 0;
  std::int32_t preemptions = 0;
  traces::LoggedTimes logged;
};

/// A stretch of engine steps of one instance that differ only in age: step k (from 0) starts when step
/// k - 1 has ended and lasts `cost.duration + k · cost.growth`.
struct Stretch {
  std::uint32_t pool = 0;
  std::uint32_t instance = 0;
  SimTime start;
  SimTime end;
  std::int64_t steps = 1;      ///< Steps done; at most cost.steps.
  cost::StepCost cost;         ///< As priced for the first of them.
  std::int32_t decode_sequences = 0;
  std::int32_t prefill_sequences = 0;
  std::int32_t prefill_tokens = 0;
  std::int32_t waiting = 0;    ///< Requests queued at the instance when the stretch began.
  std::int64_t kv_blocks_used = 0;  ///< At its end.
  std::int64_t kv_blocks = 0;       ///< Capacity.
};

/// `count` gaps between consecutive tokens of one request each: first, first + growth, …
/// once for each of `sequences` sequences.
struct TokenGaps {
  std::uint32_t pool = 0;
  SimTime first;
  SimTime growth;
  std::int64_t count = 0;
  std::int64_t sequences = 0;
};

/// Watches a run and changes nothing in it: with every observer removed, no number differs.
/// Stretches of one instance arrive in order of time; those of different instances interleave by their end.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  virtual void on_request(const RequestOutcome&) {}
  virtual void on_stretch(const Stretch&) {}
  virtual void on_token_gaps(const TokenGaps&) {}
};

}  // namespace rackwright::metrics
