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

/// The spoken turn around a request.
struct SpokenTurn {
  SimTime start;         ///< The user has stopped speaking.
  SimTime first_audio;   ///< The answer begins to sound where the caller is.
  SimTime longest_gap;   ///< Silence inside the answer, since a sentence was late.
  SimTime end;           ///< The answer has sounded to its end.
  // Parts of the way from the start to the first audio; the model has the rest.
  SimTime network;      ///< Both ways.
  SimTime recognition;  ///< Waiting for a worker included.
  SimTime synthesis;    ///< From the text of the first sentence on, waiting for a worker included.
};

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
  std::uint64_t session = 0;  ///< 0 is none.
  SimTime tool_time;          ///< Between the request that it follows and its arrival: tools at work,
  SimTime tool_wait;          ///< and tools that waited for workers; of each round that of its last tool.
  std::optional<SimTime> first_visible;  ///< First token after hidden reasoning; absent without reasoning.
  std::optional<SpokenTurn> turn;
  std::int32_t input_tokens = 0;
  std::int32_t output_tokens = 0;  ///< Emitted, in the completion that answered the request.
  std::int32_t other_tokens = 0;   ///< Emitted in its other completions.
  std::int32_t cached_input_tokens = 0;
  std::int32_t preemptions = 0;
  traces::LoggedTimes logged;

  SimTime queue() const { return scheduled - arrival; }
  SimTime ttft() const { return first_token - arrival; }
  /// From the end of the user's speech until the answer sounds; of a spoken turn.
  SimTime first_audio_time() const { return turn->first_audio - turn->start; }
  SimTime e2e() const { return last_token - arrival; }
  /// (last − first) / (n − 1), rounded down to a picosecond; for n ≥ 2 output tokens.
  SimTime tpot() const { return {(last_token - first_token).ps / (output_tokens - 1)}; }
};

}  // namespace rackwright::results
