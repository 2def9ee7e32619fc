#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/base/time.h"
#include "traces/records/row_counts.h"

namespace rackwright {
class Diagnostics;
}

namespace rackwright::traces {

/// What was found in a trace file and what was done about it.
struct TraceReport {
  std::string file;
  std::string format;               ///< A name of trace_formats(), or "mapping".
  std::string container;            ///< "CSV", "JSON lines", "JSON".
  std::string compression;          ///< "none", "gzip", "zstd".
  std::uint64_t content_hash = 0;   ///< hash64 of the file's bytes as they lie.
  std::uint64_t bytes = 0;          ///< After decompression.
  std::uint64_t rows = 0;           ///< Read, header and blank lines not counted.
  std::uint64_t requests = 0;       ///< Passed on.
  bool has_parents = false;         ///< Whether requests may follow others.
  bool has_block_hashes = false;    ///< Of any request.
  bool has_speech = false;          ///< The same of lengths of users' speech.
  std::vector<std::string> tools;   ///< Names of those that ran before requests, each once, by first use.
  std::uint64_t tool_calls = 0;     ///< Spans of tools, which become steps before requests.
  std::string first_arrival;        ///< On the log's clock: "2023-11-16 18:15:46.68059 UTC" or "5 s".
  std::string last_arrival;
  SimTime span;                     ///< From the first to the last arrival.
  SimTime lateness;                 ///< The most that a row was behind the newest row before it.
  bool byte_order_mark = false;
  bool crlf = false;
  bool final_newline = true;
  RowCounts counts;
};

/// Lines for people.
std::string to_text(const TraceReport& report);

/// One indented line per cause and fate.
std::string to_text(const RowCounts& counts);

/// One JSON object: the members above, times in seconds.
std::string to_json(const TraceReport& report);

/// One JSON list of {cause, fate, rows, examples}.
std::string to_json(const RowCounts& counts);

/// One warning for every cause that dropped or changed rows, at the line of its first example.
void add_findings(const TraceReport& report, Diagnostics& diagnostics);

}  // namespace rackwright::traces
