#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "traces/records/request.h"
#include "traces/records/row_counts.h"

namespace rackwright::traces {

using Requests = std::unique_ptr<RequestSource>;

/// Each wraps a stream into a changed one. `counts` collects what was changed and outlives the result; its "lines" are
/// request ids from 1.

/// Clocks that tick: spreads the requests of one instant over the time until the next instant, at most `tick`, evenly
/// at random and in their order. Logged latencies stay. Keyed by (seed, "traces", "dequantize"), instant by instant.
Requests dequantize(Requests source, SimTime tick, std::uint64_t seed, RowCounts& counts);

/// Requests that arrive in [from, to), counted from `from`. A parent that was cut away is forgotten, and counted.
/// What follows a slice is not read, and so not counted.
Requests slice_time(Requests source, SimTime from, SimTime to, RowCounts& counts);

/// `count` requests after the first `skip`, counted from the first of them.
Requests slice_count(Requests source, std::uint64_t skip, std::uint64_t count, RowCounts& counts);

/// Multiplies arrivals and think times by `factor` > 0 (0.5: twice the rate). Logged latencies stay.
Requests scale_time(Requests source, double factor);

struct LengthLimits {
  std::optional<std::int32_t> input_tokens;
  std::optional<std::int32_t> output_tokens;
  std::optional<std::int32_t> total_tokens;  ///< Input plus output: cuts the input first, and only then the output.
};

/// Shortens requests to the limits (each at least 1, the total at least 2), with their block hashes.
Requests clip_lengths(Requests source, LengthLimits limits, RowCounts& counts);

/// Requests that follow others are given as early as the first request of their line, so that the completion of the parent
/// and the pause after it release them, even where that is earlier than in the log. `window` requests are read ahead and
/// held, so the stream need not be in memory; a request that the window does not reach comes by the log's clock or by
/// completion, whichever is later, as do those that follow one of more than an hour before.
Requests release_early(Requests source, std::size_t window);

/// `count` completions of every prompt, all as long as the log's one.
Requests more_samples(Requests source, std::int32_t count);

/// Renames models; "*" stands for every model without a name of its own in `names`.
Requests rename_models(Requests source, std::map<std::string, std::string> names, RowCounts& counts);

/// Everything that a scenario may do to a trace, applied in this order.
struct TransformSpec {
  std::optional<SimTime> dequantize_tick;
  std::uint64_t seed = 0;
  SimTime from;
  SimTime to = SimTime::max();
  std::uint64_t skip = 0;
  std::optional<std::uint64_t> count;
  double time_scale = 1;
  LengthLimits limits;
  std::map<std::string, std::string> models;
};

Requests transform(Requests source, const TransformSpec& spec, RowCounts& counts);

}  // namespace rackwright::traces
