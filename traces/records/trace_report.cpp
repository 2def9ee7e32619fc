#include "traces/records/trace_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "models/base/diagnostic.h"
#include "models/base/hash.h"

namespace rackwright::traces {
namespace {

/// What the rows of one count are.
std::string_view phrase(RowCause cause) {
  switch (cause) {
    case RowCause::malformed: return "rows that cannot be read";
    case RowCause::zero_output: return "rows without output tokens";
    case RowCause::zero_input: return "rows without input tokens";
    case RowCause::failed: return "failed requests";
    case RowCause::cached_response: return "answers from a response cache";
    case RowCause::other_event: return "other events without token counts";
    case RowCause::bad_utf8: return "rows with bytes that are not UTF-8";
    case RowCause::out_of_order: return "rows earlier than a row before them";
    case RowCause::wrapped_clock: return "restarts of the log's clock";
    case RowCause::beyond_horizon: return "rows more than 106 days after the first arrival";
    case RowCause::duplicate: return "rows equal to an earlier one";
    case RowCause::too_many_names: return "rows past 65,536 different models and classes";
    case RowCause::unknown_parent: return "rows whose parent is not there or came later";
    case RowCause::strange_log_time: return "rows with a logged time that cannot be";
    case RowCause::over_long: return "requests over a length limit";
    case RowCause::outside_slice: return "requests before the slice";
    case RowCause::model_renamed: return "requests with a renamed model";
    case RowCause::spread: return "arrivals moved inside their clock tick";
  }
  return "";
}

std::string line_marks(const TraceReport& report) {
  std::string marks;
  const auto add = [&](std::string_view mark) { (marks += marks.empty() ? "" : ", ") += mark; };
  if (report.byte_order_mark) add("byte order mark");
  if (report.crlf) add("CRLF line ends");
  if (!report.final_newline) add("no final newline");
  return marks;
}

nlohmann::ordered_json counts_json(const RowCounts& counts) {
  auto list = nlohmann::ordered_json::array();
  for (const RowCount& count : counts.all()) {
    auto examples = nlohmann::ordered_json::array();
    for (const RowExample& example : count.examples) examples.push_back({{"line", example.line}, {"what", example.what}});
    list.push_back({{"cause", to_string(count.cause)}, {"fate", to_string(count.fate)}, {"rows", count.rows}, {"examples", examples}});
  }
  return list;
}

/// Texts from a log may be cut inside a character; such bytes become U+FFFD.
std::string dump(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace

std::string to_text(const RowCounts& counts) {
  std::string text;
  for (const RowCount& count : counts.all()) {
    text += fmt::format("  {}: {} {}", phrase(count.cause), count.rows, to_string(count.fate));
    std::string_view before = count.rows == 1 ? "; line " : "; lines ";
    for (const RowExample& example : count.examples) {
      if (example.line == 0) continue;
      text += fmt::format("{}{}", before, example.line);
      before = ", ";
    }
    text += count.rows > count.examples.size() ? ", …\n" : "\n";
  }
  return text;
}

std::string to_text(const TraceReport& report) {
  std::string text = fmt::format("{}: {} ({}{})\n", report.file, report.format, report.container,
                                 report.compression == "none" ? "" : ", " + report.compression);
  text += fmt::format("  {} rows, {} requests over {:.3f} s, from {} to {}\n", report.rows, report.requests,
                      report.span.seconds(), report.first_arrival, report.last_arrival);
  if (const std::string marks = line_marks(report); !marks.empty()) text += fmt::format("  {}\n", marks);
  if (report.tool_calls > 0) text += fmt::format("  {} spans of tools, which run before the requests that follow them\n", report.tool_calls);
  text += to_text(report.counts);
  if (report.lateness > SimTime{}) text += fmt::format("  the latest row was {:.6f} s behind\n", report.lateness.seconds());
  return text;
}

std::string to_json(const RowCounts& counts) { return dump(counts_json(counts)); }

std::string to_json(const TraceReport& report) {
  nlohmann::ordered_json json{
      {"file", report.file}, {"format", report.format}, {"container", report.container}, {"compression", report.compression},
      {"content_hash", hex(report.content_hash)}, {"bytes", report.bytes}, {"rows", report.rows}, {"requests", report.requests},
      {"first_arrival", report.first_arrival}, {"last_arrival", report.last_arrival}, {"span_s", report.span.seconds()},
      {"lateness_s", report.lateness.seconds()}, {"byte_order_mark", report.byte_order_mark}, {"crlf", report.crlf},
      {"final_newline", report.final_newline}, {"counts", counts_json(report.counts)}};
  if (report.tool_calls > 0) json["tool_calls"] = report.tool_calls;
  return dump(json);
}

void add_findings(const TraceReport& report, Diagnostics& diagnostics) {
  for (const RowCount& count : report.counts.all()) {
    const RowExample& first = count.examples.front();
    const std::string example = first.what.empty() ? "" : fmt::format("; here {}", first.what);
    diagnostics.warning({report.file, static_cast<int>(first.line)}, {},
                        fmt::format("{}: {} {}{}", phrase(count.cause), count.rows, to_string(count.fate), example));
  }
}

}  // namespace rackwright::traces
