#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "traces/records/request.h"
#include "traces/records/trace_report.h"
#include "traces/rows/column_mapping.h"

namespace rackwright {
class Diagnostics;
}

namespace rackwright::traces {

enum class ZeroTokens { drop, one };        ///< `one`: the row counts as a request of one token.
enum class Duplicates { keep, drop };
enum class CachedResponses { drop, keep };
enum class FailedRequests { drop, keep };
/// `after_parent`: a request with a parent waits for the parent's completion and then for the logged pause.
/// `by_clock`: every request arrives when the log says.
enum class Dependents { after_parent, by_clock };

struct TraceOptions {
  std::string format;                    ///< A name of trace_formats(); empty: found from the content.
  std::optional<ColumnMapping> mapping;  ///< Reads any CSV or JSON by these columns, instead of a known format.
  ZeroTokens zero_input = ZeroTokens::drop;
  ZeroTokens zero_output = ZeroTokens::drop;
  Duplicates duplicates = Duplicates::keep;
  CachedResponses cached_responses = CachedResponses::drop;
  FailedRequests failed_requests = FailedRequests::drop;
  Dependents dependents = Dependents::after_parent;
  /// After this long the log's clock starts anew at 0. Without it the usual periods are recognised (a day; 2^31 and
  /// 2^32 microseconds or milliseconds) when the clock falls from the last tenth of one to its first tenth.
  std::optional<SimTime> clock_period;
  /// Rows kept in memory: a file of fewer rows is read once, and sorting uses runs of this length.
  std::size_t rows_in_memory = 65'536;
};

/// A trace file as requests, in order of arrival from 0, and what was found in it.
class TraceSource : public RequestSource {
 public:
  /// Complete from the start: the whole file has been looked through when it was opened.
  virtual const TraceReport& report() const = 0;
};

/// Opens a log of any known kind, plain or gzip or zstd, as found from its content. The file is read through once, to
/// find its first arrival, its disorder and every fault; a file longer than `rows_in_memory` is read again while
/// requests are pulled, so that memory stays bounded. Rows out of order are sorted exactly, by arrival and then by
/// line: in memory when they are late by little, else through temporary files.
///
/// Null, with errors in `diagnostics`, when it is no usable trace; warnings there count what was dropped or changed.
/// Throws EnvironmentError when reading fails.
std::unique_ptr<TraceSource> open_trace(const std::string& path, const TraceOptions& options, Diagnostics& diagnostics);

/// The same for bytes in memory, which the caller keeps alive; `name` stands for the file in messages.
std::unique_ptr<TraceSource> open_trace_bytes(const std::string& name, std::string_view bytes, const TraceOptions& options,
                                              Diagnostics& diagnostics);

}  // namespace rackwright::traces
