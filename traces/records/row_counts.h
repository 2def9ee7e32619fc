#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rackwright::traces {

/// Why a row of a log, or a request of a stream, is not simply passed on as it stands.
enum class RowCause : std::uint8_t {
  malformed,         ///< Cannot be read: broken JSON, wrong number of columns, a missing or strange value.
  zero_output,       ///< No output tokens: in most logs a failed request.
  zero_input,
  failed,            ///< The log says that the request failed.
  cached_response,   ///< A response cache answered; no model ran.
  other_event,       ///< A span without token counts.
  bad_utf8,          ///< Bytes that are no UTF-8 became U+FFFD.
  out_of_order,      ///< Earlier than a row before it.
  wrapped_clock,     ///< The log's clock started anew (midnight, 32-bit counters).
  beyond_horizon,    ///< More than 106 days after the first arrival, where simulated time ends.
  duplicate,         ///< Equal to a row shortly before in every field, arrival and id included.
  too_many_names,    ///< The model or class column has more than 65,536 different texts; the rest became "(other)".
  unknown_parent,    ///< Names a parent that is not in the log, or that arrived later.
  strange_log_time,  ///< A logged first token or completion before the arrival, or out of order with each other.
  over_long,         ///< Clipped to a length limit.
  outside_slice,     ///< Cut away by a slice of the stream.
  model_renamed,
  spread,            ///< Moved inside its clock tick.
};
inline constexpr std::size_t row_cause_count = 18;

enum class RowFate : std::uint8_t { kept, repaired, dropped };

std::string_view to_string(RowCause cause);
std::string_view to_string(RowFate fate);

struct RowExample {
  std::uint64_t line = 0;  ///< In the file, from 1; 0 where there is none.
  std::string what;        ///< What is wrong with this one, or what it held; may be empty.
};

/// The rows that met one cause and one fate.
struct RowCount {
  RowCause cause{};
  RowFate fate{};
  std::uint64_t rows = 0;
  std::vector<RowExample> examples;  ///< The first five.
};

/// Counts rows by cause; a row may meet several causes, but at most one that drops it.
class RowCounts {
 public:
  void add(RowCause cause, RowFate fate, std::uint64_t line, std::string_view what = {});

  const std::vector<RowCount>& all() const { return counts_; }
  std::uint64_t rows(RowCause cause) const;
  std::uint64_t dropped() const;

 private:
  std::vector<RowCount> counts_;  ///< In order of first occurrence.
};

}  // namespace rackwright::traces
