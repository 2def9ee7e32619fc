#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "models/base/time.h"

namespace rackwright::traces {

/// What a log says happened to a request, relative to the trace's start; absent where it does not say.
struct LoggedTimes {
  std::optional<SimTime> first_token;
  std::optional<SimTime> completion;
};

/// A tool of an agent that runs before a request, on workers of a station.
struct ToolStep {
  std::uint32_t tool = 0;   ///< A name id.
  SimTime work;             ///< On its workers, at the speed of the machine where it was seen.
  std::int32_t round = 0;   ///< Steps of one round run side by side; a round starts when the one before it is over.

  bool operator==(const ToolStep&) const = default;
};

/// One request of a stream. Arrivals count from the stream's start (0) and never decrease.
/// Names (model, class, tool) are ids for `RequestSource::name`; 0 is the empty name.
struct Request {
  std::uint64_t id = 0;  ///< Position in the stream, from 0.
  SimTime arrival;
  std::int32_t input_tokens = 0;   ///< At least 1.
  std::int32_t output_tokens = 0;  ///< At least 1.
  std::int32_t reasoning_tokens = 0;  ///< Hidden ones, the first of the output; fewer than it.
  std::uint32_t model = 0;
  std::uint32_t request_class = 0;
  /// Requests with the same key belong to one conversation; 0 is none. A key, not a name: a long trace has
  /// millions of sessions, and nobody needs their texts.
  std::uint64_t session = 0;
  /// Hashes of the prompt's blocks of `block_tokens` tokens, the last possibly partial; empty when the
  /// trace has none. Equal prefixes have equal leading hashes.
  std::vector<std::uint64_t> block_hashes;
  std::int32_t block_tokens = 0;
  /// The request whose completion releases this one, `think_time` later; `arrival` is then a lower bound.
  std::optional<std::uint64_t> parent;
  SimTime think_time;
  std::vector<ToolStep> tools;  ///< What runs between the think time and this request, by rising round.
  SimTime speech;               ///< Length of the user's speech, of which this request is the text; 0 where none is known.
  std::optional<double> acceptance;         ///< Its own chance that a drafted token is accepted.
  std::vector<std::int32_t> other_samples;  ///< Output tokens of further completions of the same prompt.
  LoggedTimes logged;
};

/// A stream of requests in order of arrival, pulled one at a time: memory stays bounded by what the
/// consumer keeps. `next` reuses the record's buffers.
class RequestSource {
 public:
  virtual ~RequestSource() = default;
  /// Fills `request` and returns true, or returns false at the end.
  /// Throws EnvironmentError when reading fails half-way.
  virtual bool next(Request& request) = 0;
  /// The name behind an id of `Request::model` `request_class` or `ToolStep::tool`.
  virtual std::string_view name(std::uint32_t id) const = 0;
  /// How many requests there are in all, where that is known beforehand.
  virtual std::optional<std::uint64_t> size() const { return std::nullopt; }
};

}  // namespace rackwright::traces
