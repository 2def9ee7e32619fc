#pragma once

#include <cstdint>
#include <optional>

#include "traces/records/request.h"
#include "traces/text/instant.h"

namespace rackwright::traces {

/// A row that will be a request, before its place in the stream is known. Of `request`, the id, the arrival, the
/// parent and the logged times are not set yet.
struct CleanRow {
  Instant arrival;
  std::optional<SimTime> first_token_after;  ///< Since the arrival.
  std::optional<SimTime> completion_after;
  std::optional<SimTime> think_time;  ///< Where the log states it.
  std::uint64_t id_key = 0;           ///< Hash of the log's own id; 0 for none.
  std::uint64_t parent_key = 0;
  std::uint64_t line = 0;
  std::uint64_t position = 0;  ///< Among the clean rows of the file; settles ties.
  bool is_tool = false;  ///< No request, but a tool that ran: its arrival, its completion, its session and `request.tools`.
  Request request;
};

inline bool arrives_before(const CleanRow& a, const CleanRow& b) {
  return a.arrival != b.arrival ? a.arrival < b.arrival : a.position < b.position;
}

}  // namespace rackwright::traces
