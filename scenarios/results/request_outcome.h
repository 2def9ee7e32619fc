#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "models/base/time.h"
#include "traces/records/request.h"

namespace rackwright::results {

enum class Outcome : std::uint8_t { completed, rejected, failed, cancelled };

inline std::string_view to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::completed: return "completed";
    case Outcome::rejected: return "rejected";
    case Outcome::failed: return "failed";
    case Outcome::cancelled: return "cancelled";
  }
  return "unknown";
}

/// Why a request did not complete.
enum class Cause : std::uint8_t {
  none,
  no_pool,           ///< No pool serves its model.
  context_too_long,  ///< Input and output exceed what the model or its pool accepts.
  kv_too_small,      ///< Its KV could never fit, even on an empty instance.
  admission,         ///< An admission rule turned it away.
  timed_out,         ///< Its client gave up.
  parent_lost,       ///< The request it depends on did not complete.
};
inline constexpr std::size_t cause_count = 7;

/// What happened, for people: "rejected: no pool serves their model".
inline std::string_view phrase(Cause cause) {
  switch (cause) {
    case Cause::none: return "";
    case Cause::no_pool: return "rejected: no pool serves their model";
    case Cause::context_too_long: return "rejected: input and output exceed what the model or its pool accepts";
    case Cause::kv_too_small: return "rejected: their KV does not fit even an empty instance";
    case Cause::admission: return "rejected: turned away by an admission rule";
    case Cause::timed_out: return "cancelled: their client gave up";
    case Cause::parent_lost: return "cancelled: the request they depend on did not complete";
  }
  return "";
}

/// What became of one request: a row of requests.csv. Tokens are conserved:
/// computed_input + cached_input = input for a completed request without preemption.
struct RequestOutcome {
  std::uint64_t id = 0;
  Outcome outcome = Outcome::completed;
  Cause cause = Cause::none;
  std::uint32_t pool = 0;      ///< Index of the pool that emitted the tokens.
  std::uint32_t instance = 0;  ///< Index over all instances of the run.
  std::uint32_t request_class = 0;  ///< Index into RunDescription::classes; 0 is the unnamed class.
  SimTime arrival;      ///< At the front door: TTFT counts from here.
  SimTime scheduled;    ///< First step that computed something for it started.
  SimTime first_token;  ///< Step that emitted it ended.
  SimTime last_token;
  SimTime longest_gap;  ///< Between two tokens of it.
  std::optional<SimTime> kv_exposed;  ///< From its first token until its KV was where it decodes; absent when it never moved.
  std::int32_t input_tokens = 0;
  std::int32_t output_tokens = 0;  ///< Emitted.
  std::int32_t cached_input_tokens = 0;
  std::int32_t preemptions = 0;
  traces::LoggedTimes logged;

  SimTime queue() const { return scheduled - arrival; }
  SimTime ttft() const { return first_token - arrival; }
  SimTime e2e() const { return last_token - arrival; }
  /// (last − first) / (n − 1), rounded down to a picosecond; for n ≥ 2 output tokens.
  SimTime tpot() const { return {(last_token - first_token).ps / (output_tokens - 1)}; }
};

}  // namespace rackwright::results
