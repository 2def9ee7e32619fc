#include "traces/formats/trace_format.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <vector>

#include "models/base/diagnostic.h"
#include "models/base/names.h"
#include "traces/formats/known_formats.h"

namespace rackwright::traces {
namespace {

constexpr std::array<const TraceFormat*, 11> formats{
    &canonical_format, &azure_format,   &burstgpt_format, &mooncake_format,       &qwen_bailian_format, &vidur_format,
    &litellm_format,   &gateway_format, &vllm_format,     &inference_perf_format, &otlp_format};

std::string field_list(const TraceSample& sample) {
  constexpr std::size_t most = 30;
  const std::size_t count = std::min(sample.fields.size(), most);
  std::string list = fmt::format("{}", fmt::join(sample.fields.begin(), sample.fields.begin() + static_cast<std::ptrdiff_t>(count), ", "));
  if (sample.fields.size() > count) list += fmt::format(", … ({} in all)", sample.fields.size());
  return list.empty() ? "none" : list;
}

/// A path is there when the sample has it, or something that it leads into.
bool is_there(std::string_view path, const TraceSample& sample) {
  if (sample.has(path)) return true;
  for (std::size_t dot = path.find('.'); dot != std::string_view::npos; dot = path.find('.', dot + 1)) {
    if (sample.value(path.substr(0, dot)).starts_with('{')) return true;
  }
  // An object such as {"512": [...]} has its members in the sample, not itself.
  return std::ranges::any_of(sample.fields, [path](std::string_view field) {
    return field.size() > path.size() && field.starts_with(path) && field[path.size()] == '.';
  });
}

constexpr std::array required_fields{Field::arrival, Field::input_tokens, Field::output_tokens};

bool is_filled(const std::vector<Column>& columns, const TraceSample& sample) {
  return std::ranges::any_of(columns, [&](const Column& column) { return is_there(column.name, sample); });
}

/// That a field has no column in the file, with the nearest name or all of them.
Diagnostic absent(Field field, const std::vector<Column>& columns, const TraceSample& sample, const std::string& file, Severity severity) {
  std::vector<std::string> wanted;
  for (const Column& column : columns) wanted.push_back(column.name);
  const std::string nearest = wanted.empty() ? std::string{} : nearest_name(wanted.front(), sample.fields);
  return {severity, {file}, fmt::format("columns.{}", to_string(field)),
          wanted.empty() ? fmt::format("no column is named for {}", to_string(field)) : fmt::format("the file has no '{}'", fmt::join(wanted, "', '")),
          nearest.empty() ? fmt::format("it has: {}", field_list(sample)) : fmt::format("did you mean '{}'?", nearest)};
}

/// A first line of numbers is data, not names.
bool looks_headerless(const TraceSample& sample) {
  return sample.container == Container::csv && !sample.fields.empty() && std::ranges::all_of(sample.fields, [](const std::string& name) {
    return name.empty() || name.find_first_not_of("0123456789.:-+TZ eE") == std::string::npos;
  });
}

}  // namespace

std::span<const TraceFormat* const> trace_formats() { return formats; }

const TraceFormat* find_trace_format(std::string_view name) {
  const auto found = std::ranges::find(formats, name, &TraceFormat::name);
  return found == formats.end() ? nullptr : *found;
}

const TraceFormat* detect_trace_format(const TraceSample& sample, const std::string& file, Diagnostics& diagnostics) {
  std::vector<const TraceFormat*> fitting;
  std::ranges::copy_if(formats, std::back_inserter(fitting), [&](const TraceFormat* format) { return format->recognises(sample); });
  if (fitting.size() == 1) return fitting.front();
  const auto names = [](const auto& list) {
    std::vector<std::string_view> found;
    for (const TraceFormat* format : list) found.push_back(format->name);
    return fmt::format("{}", fmt::join(found, ", "));
  };
  if (!fitting.empty()) {
    diagnostics.error({file}, "format", fmt::format("the file could be any of {}", names(fitting)), "state the format");
  } else if (looks_headerless(sample)) {
    diagnostics.error({file, 1}, {}, fmt::format("the first line holds no column names: {}", field_list(sample)),
                      "name the columns in a column mapping with 'header'");
  } else if (sample.fields.empty()) {
    diagnostics.error({file, 1}, {}, fmt::format("its first row is no {} that can be read", to_string(sample.container)));
  } else {
    diagnostics.error({file}, "format", fmt::format("no known trace format has these fields ({}): {}", to_string(sample.container), field_list(sample)),
                      fmt::format("known: {}; or give a column mapping", names(formats)));
  }
  return nullptr;
}

bool check_columns(const ColumnMapping& mapping, const TraceSample& sample, const std::string& file, Diagnostics& diagnostics) {
  bool complete = true;
  for (const Field field : required_fields) {
    if (is_filled(mapping[field], sample)) continue;
    diagnostics.add(absent(field, mapping[field], sample, file, Severity::error));
    complete = false;
  }
  for (const std::vector<Column>& columns : mapping.columns) {
    for (const Column& column : columns) {
      if (std::ranges::find(sample.doubled, column.name) == sample.doubled.end()) continue;
      diagnostics.error({file}, {}, fmt::format("there are several columns '{}', and one of them is needed", column.name), "rename or remove all but one");
      complete = false;
    }
  }
  return complete;
}

void warn_of_absent_columns(const ColumnMapping& mapping, const TraceSample& sample, const std::string& file, Diagnostics& diagnostics) {
  for (std::size_t i = 0; i < field_count; ++i) {
    const auto field = static_cast<Field>(i);
    const bool required = std::ranges::find(required_fields, field) != required_fields.end();
    if (required || mapping[field].empty() || is_filled(mapping[field], sample)) continue;
    diagnostics.add(absent(field, mapping[field], sample, file, Severity::warning));
  }
}

}  // namespace rackwright::traces
