#include "traces/formats/trace_sample.h"

#include <algorithm>
#include <utility>

#include "models/base/diagnostic.h"
#include "traces/formats/json_sample.h"
#include "traces/rows/csv_line.h"
#include "traces/rows/csv_rows.h"
#include "traces/text/line_reader.h"
#include "traces/text/utf8.h"

namespace rackwright::traces {
namespace {

constexpr std::size_t sample_bytes = std::size_t{256} * 1024;

std::string read_start(ByteSource& bytes) {
  constexpr std::size_t piece = std::size_t{16} * 1024;
  std::string start;
  for (std::size_t got = 1; got > 0 && start.size() < sample_bytes;) {
    const std::size_t size = start.size();
    start.resize(size + piece);
    got = bytes.read(std::span(start).subspan(size));
    start.resize(size + got);
  }
  return start;
}

/// What a file that is no text most likely is, and what to do; empty for text.
std::pair<std::string, std::string> not_text(std::string_view start) {
  if (start.starts_with("PAR1")) return {"this is a Parquet file", "convert it to CSV or JSON lines first"};
  if (start.starts_with("PK\x03\x04")) return {"this is a zip archive or a spreadsheet", "unpack or export it as CSV first"};
  if (start.starts_with("\xff\xfe") || start.starts_with("\xfe\xff")) return {"the text is UTF-16", "convert it to UTF-8 first"};
  if (start.substr(0, 4096).find('\0') != std::string_view::npos) return {"this is a binary file", {}};
  return {};
}

void add_field(TraceSample& sample, std::string name, std::string_view value) {
  const auto [place, added] = sample.values.try_emplace(name, value);
  if (added) sample.fields.push_back(std::move(name));
  else if (place->second.empty()) place->second = value;
}

void sample_csv(std::string_view start, const std::vector<std::string>& header, TraceSample& sample) {
  sample.container = Container::csv;
  TextBuffer text(open_memory(start));
  LineReader lines(text);
  std::vector<std::string_view> cells;
  std::string scratch;
  std::string_view line;
  std::vector<std::string> names = header;
  char delimiter = ',';
  while (next_csv_line(lines, line)) {
    if (cells.empty()) delimiter = csv_delimiter(line);
    split_csv(line, delimiter, cells, scratch);
    if (names.empty()) {
      for (const std::string_view cell : cells) {
        if (sample.has(cell)) sample.doubled.emplace_back(cell);
        add_field(sample, names.emplace_back(cell), {});
      }
      continue;
    }
    for (std::size_t i = 0; i < names.size(); ++i) add_field(sample, names[i], i < cells.size() ? cells[i] : std::string_view{});
    return;
  }
}

}  // namespace

std::string_view to_string(Container container) {
  switch (container) {
    case Container::csv: return "CSV";
    case Container::json_lines: return "JSON lines";
    case Container::json_document: return "JSON";
  }
  return "CSV";
}

bool TraceSample::has_all(std::initializer_list<std::string_view> wanted) const {
  return std::ranges::all_of(wanted, [this](std::string_view field) { return has(field); });
}

std::string_view TraceSample::value(std::string_view field) const {
  const auto found = values.find(field);
  return found == values.end() ? std::string_view{} : std::string_view(found->second);
}

bool take_sample(ByteSource& bytes, const std::string& file, const std::vector<std::string>& header, TraceSample& sample,
                 Diagnostics& diagnostics) {
  const std::string start = read_start(bytes);
  std::string_view text = start;
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  if (const auto [what, hint] = not_text(text); !what.empty()) {
    diagnostics.error({file}, {}, what, hint);
    return false;
  }
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) {
    if (bytes.problem().empty()) diagnostics.error({file}, {}, "the file is empty");
    else diagnostics.error({file}, {}, std::string(bytes.problem()));
    return false;
  }
  const std::string repaired = is_utf8(text) ? std::string{} : repair_utf8(text);
  if (!repaired.empty()) text = repaired;
  const bool json = text[first] == '{' || text[first] == '[';
  if (json && header.empty()) {
    sample_json(text, sample);
  } else {
    sample_csv(text, header, sample);
  }
  return true;
}

}  // namespace rackwright::traces
