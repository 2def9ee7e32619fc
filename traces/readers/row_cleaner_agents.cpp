// What rows tell of agents, reasoning, speech and speculation.
#include <fmt/format.h>

#include <charconv>

#include "traces/readers/row_cleaner.h"
#include "traces/records/tool_list.h"

namespace rackwright::traces {

/// A duration; nothing where the row has none. A bad one drops the row.
bool RowCleaner::read_duration(const RawRow& raw, Field field, SimTime& duration) {
  duration = {};
  if (!raw[field].present) return true;
  Instant read;
  if (!read_time(raw, field, read)) return false;
  if (read < Instant{}) return drop(RowCause::malformed, raw, fmt::format("{} is negative", to_string(field)));
  duration = read - Instant{};
  return true;
}

bool RowCleaner::read_generation(const RawRow& raw, CleanRow& row) {
  Request& request = row.request;
  request.reasoning_tokens = 0;
  if (raw[Field::reasoning_tokens].present) {
    std::int64_t hidden = 0;
    if (!read_count(raw, Field::reasoning_tokens, hidden)) return false;
    if (hidden >= request.output_tokens) {  // An answer has a token that is seen.
      counts_.add(RowCause::over_long, RowFate::repaired, raw.line, "as many reasoning tokens as output tokens");
      hidden = request.output_tokens - 1;
    }
    request.reasoning_tokens = static_cast<std::int32_t>(hidden);
  }
  request.acceptance.reset();
  if (const FieldValue& value = raw[Field::acceptance]; value.present) {
    double chance = 0;
    const char* const end = value.text.data() + value.text.size();
    const auto [stop, failure] = std::from_chars(value.text.data(), end, chance);
    if (failure != std::errc{} || stop != end || !(chance >= 0 && chance <= 1))
      return drop(RowCause::malformed, raw, fmt::format("acceptance is '{}'", value.text.substr(0, 40)));
    request.acceptance = chance;
  }
  return read_duration(raw, Field::speech, request.speech) && read_tools(raw, row);
}

bool RowCleaner::read_tools(const RawRow& raw, CleanRow& row) {
  const auto id_of = [&](std::string_view text) { return name(text, raw.line); };
  row.is_tool = false;
  row.request.tools.clear();
  if (raw[Field::tools].present) {
    auto tools = traces::read_tools(raw[Field::tools].text, id_of);
    if (!tools) return drop(RowCause::malformed, raw, fmt::format("tools is '{}'", raw[Field::tools].text.substr(0, 40)));
    row.request.tools = std::move(*tools);
  }
  if (!raw[Field::tool_time].present) return true;
  ToolStep step{id_of(raw[Field::tool].text), {}, 0};
  if (!read_duration(raw, Field::tool_time, step.work)) return false;
  if (step.work.ps > 0) row.request.tools.push_back(step);
  return true;
}

/// The span of a tool: it ran from its start to its end, whether it succeeded or not.
bool RowCleaner::clean_tool(const RawRow& raw, CleanRow& row) {
  row = {};
  if (!read_time(raw, Field::arrival, row.arrival)) return false;
  row.line = raw.line;
  const std::string_view session = raw[Field::session].text;
  row.request.session = session.empty() ? 0 : key_of_session(session);
  read_logged_times(raw, row);
  if (!row.completion_after) return drop(RowCause::other_event, raw, "a tool without an end");
  row.is_tool = true;
  row.request.tools.push_back({name(raw[Field::tool].text, raw.line), *row.completion_after, 0});
  return true;
}

}  // namespace rackwright::traces
