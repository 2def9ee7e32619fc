#pragma once

#include <span>
#include <string>
#include <string_view>

#include "traces/formats/trace_sample.h"
#include "traces/rows/column_mapping.h"

namespace rackwright::traces {

/// One kind of log: how its rows are recognised and where they keep what a request needs.
///
/// A new kind is one file that defines such a constant and one line in trace_format.cpp.
struct TraceFormat {
  std::string_view name;   ///< As in scenarios: "azure".
  std::string_view title;  ///< One line for people.
  bool (*recognises)(const TraceSample& sample);
  ColumnMapping (*mapping)();
};

/// Every known kind.
std::span<const TraceFormat* const> trace_formats();

const TraceFormat* find_trace_format(std::string_view name);

/// The one kind that the sample fits. None or several is an error that names the fields found and the candidates.
const TraceFormat* detect_trace_format(const TraceSample& sample, const std::string& file, Diagnostics& diagnostics);

/// Whether the sample fills every required field of a mapping; if not, an error says which names were looked for
/// and which the file has.
bool check_columns(const ColumnMapping& mapping, const TraceSample& sample, const std::string& file, Diagnostics& diagnostics);

/// Warns of every other field of a user's mapping whose names the first rows do not have.
void warn_of_absent_columns(const ColumnMapping& mapping, const TraceSample& sample, const std::string& file, Diagnostics& diagnostics);

}  // namespace rackwright::traces
