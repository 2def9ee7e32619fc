#include "traces/readers/open_trace.h"

#include <fmt/format.h>

#include <cstring>
#include <filesystem>
#include <functional>
#include <utility>

#include "models/base/diagnostic.h"
#include "models/base/hash.h"
#include "models/base/names.h"
#include "traces/formats/trace_format.h"
#include "traces/text/content_hash.h"
#include "traces/readers/trace_file.h"
#include "traces/rows/csv_rows.h"
#include "traces/rows/json_rows.h"
#include "traces/text/byte_source.h"

namespace rackwright::traces {
namespace {

using ByteOpener = std::function<std::unique_ptr<ByteSource>()>;

bool check_options(const TraceOptions& options, const std::string& file, Diagnostics& diagnostics) {
  if (options.clock_period && *options.clock_period <= SimTime{}) {
    diagnostics.error({file}, "clock_period", "a clock period must be longer than 0");
    return false;
  }
  if (options.format.empty() || find_trace_format(options.format)) return true;
  std::vector<std::string> known;
  for (const TraceFormat* format : trace_formats()) known.emplace_back(format->name);
  diagnostics.error({file}, "format", fmt::format("no trace format is called '{}'", options.format), name_hint(options.format, known));
  return false;
}

/// The mapping to read with, and its name in reports. Nothing when none fits the file.
std::optional<std::pair<ColumnMapping, std::string>> choose_mapping(const TraceOptions& options, const TraceSample& sample,
                                                                    const std::string& file, Diagnostics& diagnostics) {
  if (options.mapping) return std::pair(*options.mapping, std::string("mapping"));
  const TraceFormat* format =
      options.format.empty() ? detect_trace_format(sample, file, diagnostics) : find_trace_format(options.format);
  if (!format) return std::nullopt;
  return std::pair(format->mapping(), std::string(format->name));
}

/// Says why a file that was read through is no usable trace; false when it is not one.
bool check_content(const TraceFile& trace, Diagnostics& diagnostics) {
  const TraceReport& report = trace.report();
  if (!trace.problem().empty()) {
    diagnostics.error({report.file}, {}, trace.problem(), fmt::format("{} rows were read before that", report.rows));
    return false;
  }
  const std::uint64_t malformed = report.counts.rows(RowCause::malformed);
  const std::uint64_t beyond = report.counts.rows(RowCause::beyond_horizon);
  if (report.requests > 0 && malformed <= report.rows / 2 && beyond <= report.rows / 2) return true;
  add_findings(report, diagnostics);
  if (beyond > report.rows / 2) {
    diagnostics.error({report.file}, {}, fmt::format("{} of {} rows are more than 106 days after the first arrival, {}", beyond, report.rows, report.first_arrival),
                      "is the first time a real one?");
    return false;
  }
  diagnostics.error({report.file}, {},
                    report.requests == 0 ? fmt::format("none of the {} rows is a usable request", report.rows)
                                         : fmt::format("{} of {} rows cannot be read", malformed, report.rows),
                    fmt::format("it was read as {} ({})", report.format, report.container));
  return false;
}

std::unique_ptr<TraceSource> open(const std::string& file, const ByteOpener& open_bytes, const TraceOptions& options,
                                  Diagnostics& diagnostics) {
  if (!check_options(options, file, diagnostics)) return nullptr;
  TraceSample sample;
  TraceReport report;
  report.file = file;
  DecompressedBytes start = decompress(open_bytes());
  report.compression = to_string(start.compression);
  const std::vector<std::string> header = options.mapping ? options.mapping->header : std::vector<std::string>{};
  if (!take_sample(*start.bytes, file, header, sample, diagnostics)) return nullptr;
  auto chosen = choose_mapping(options, sample, file, diagnostics);
  if (!chosen || !check_columns(chosen->first, sample, file, diagnostics)) return nullptr;
  if (options.mapping) warn_of_absent_columns(*options.mapping, sample, file, diagnostics);
  report.format = chosen->second;
  report.container = to_string(sample.container);
  report.content_hash = content_hash(*open_bytes());

  const auto open_rows = [open_bytes, sample](const ColumnMapping& mapping) -> std::unique_ptr<RowSource> {
    std::unique_ptr<ByteSource> bytes = decompress(open_bytes()).bytes;
    switch (sample.container) {
      case Container::csv: return std::make_unique<CsvRows>(std::move(bytes), mapping);
      case Container::json_lines: return json_lines(std::move(bytes), mapping);
      case Container::json_document: break;
    }
    return json_document(std::move(bytes), mapping, sample.row_key);
  };
  auto trace = std::make_unique<TraceFile>(open_rows, std::move(chosen->first), options, std::move(report));
  if (!check_content(*trace, diagnostics)) return nullptr;
  add_findings(trace->report(), diagnostics);
  return trace;
}

}  // namespace

std::unique_ptr<TraceSource> open_trace(const std::string& path, const TraceOptions& options, Diagnostics& diagnostics) {
  std::error_code failure;
  const std::filesystem::file_status status = std::filesystem::status(path, failure);
  if (!std::filesystem::exists(status)) {
    diagnostics.error({path}, {}, "there is no such trace file");
    return nullptr;
  }
  if (!std::filesystem::is_regular_file(status)) {
    diagnostics.error({path}, {}, "a trace must be a regular file, since it is read twice");
    return nullptr;
  }
  return open(path, [path] { return open_file(path); }, options, diagnostics);
}

std::unique_ptr<TraceSource> open_trace_bytes(const std::string& name, std::string_view bytes, const TraceOptions& options,
                                              Diagnostics& diagnostics) {
  return open(name, [bytes] { return open_memory(bytes); }, options, diagnostics);
}

}  // namespace rackwright::traces
