#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "traces/records/request.h"
#include "traces/statistics/arrival_statistics.h"
#include "traces/statistics/prefix_statistics.h"
#include "traces/statistics/token_histogram.h"

namespace rackwright::traces {

/// What a stream of requests looks like; every figure is exact.
struct TraceStatistics {
  struct Share {
    std::uint64_t requests = 0;
    std::uint64_t input_tokens = 0;
    std::uint64_t output_tokens = 0;
  };

  ArrivalStatistics arrivals;
  TokenHistogram input;
  TokenHistogram output;
  PrefixStatistics prefix;
  /// Requests equal to one at the same instant in tokens, names, session, hashes and logged times.
  std::uint64_t duplicates = 0;
  std::uint64_t with_parent = 0;
  std::uint64_t with_session = 0;
  std::uint64_t with_first_token = 0;  ///< Logged.
  std::uint64_t with_completion = 0;
  std::map<std::string, Share> models;  ///< By name; "" where the stream has none.
  std::map<std::string, Share> classes;
};

/// Reads the stream to its end. Memory is bounded but for distinct prefix blocks.
TraceStatistics inspect(RequestSource& source);

/// A table for people.
std::string to_text(const TraceStatistics& statistics);

/// One JSON object; lengths in tokens, times in seconds.
std::string to_json(const TraceStatistics& statistics);

}  // namespace rackwright::traces
