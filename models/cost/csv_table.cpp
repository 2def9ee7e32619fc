#include "models/cost/csv_table.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "models/base/invariant.h"
#include "models/base/names.h"

namespace rackwright::cost {
namespace {

std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> fields;
  while (true) {
    const std::size_t comma = line.find(',');
    fields.push_back(line.substr(0, comma));
    if (comma == std::string_view::npos) return fields;
    line.remove_prefix(comma + 1);
  }
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '#')) text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

}  // namespace

CsvTable CsvTable::read(const std::filesystem::path& file, Diagnostics& diagnostics) {
  std::ifstream in(file, std::ios::binary);
  std::string content(std::istreambuf_iterator<char>(in), {});
  if (!in.is_open() || in.bad())
    throw EnvironmentError(fmt::format("cannot read a file: {}: {}", file.string(), std::strerror(errno)));
  return {file.string(), std::move(content), diagnostics};
}

CsvTable::CsvTable(std::string file, std::string content, Diagnostics& diagnostics)
    : file_(std::move(file)), content_(std::move(content)) {
  std::string_view rest = content_;
  for (int number = 1; !rest.empty(); ++number) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (line.empty()) continue;
    if (columns_.empty() && line.front() == '#') {
      const std::size_t colon = line.find(':');
      if (colon != std::string_view::npos) header_.emplace(trimmed(line.substr(0, colon)), trimmed(line.substr(colon + 1)));
    } else if (columns_.empty()) {
      for (const std::string_view name : split(line)) columns_.emplace_back(name);
    } else {
      std::vector<std::string_view> fields = split(line);
      if (fields.size() == columns_.size()) lines_.push_back({number, std::move(fields)});
      else diagnostics.error({file_, number, 1}, "", fmt::format("{} fields, but the header has {}", fields.size(), columns_.size()));
    }
  }
  if (columns_.empty()) diagnostics.error({file_, 0, 0}, "", "there is no header line");
}

std::optional<std::size_t> CsvTable::column(std::string_view name) const {
  const auto found = std::ranges::find(columns_, name);
  if (found == columns_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - columns_.begin());
}

bool CsvTable::has_column(std::string_view name) const { return column(name).has_value(); }

std::string CsvTable::header(const std::string& key) const {
  const auto found = header_.find(key);
  return found == header_.end() ? "" : found->second;
}

std::string_view CsvTable::text(std::size_t row, std::string_view name) const {
  const auto index = column(name);
  return index ? lines_[row].fields[*index] : std::string_view{};
}

double CsvTable::number(std::size_t row, std::string_view name, Diagnostics& diagnostics) const {
  const std::string_view field = text(row, name);
  double value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (error == std::errc{} && end == field.data() + field.size() && std::isfinite(value)) return value;
  diagnostics.error(where(row), std::string(name), fmt::format("a number is expected, not '{}'", field));
  return 0;
}

double CsvTable::number_or(std::size_t row, std::string_view name, double otherwise, Diagnostics& diagnostics) const {
  return text(row, name).empty() ? otherwise : number(row, name, diagnostics);
}

bool CsvTable::require(std::initializer_list<std::string_view> columns, Diagnostics& diagnostics) const {
  bool complete = true;
  for (const std::string_view name : columns) {
    if (has_column(name)) continue;
    complete = false;
    diagnostics.error({file_, 0, 0}, std::string(name), fmt::format("column '{}' is missing", name), name_hint(name, columns_));
  }
  return complete;
}

}  // namespace rackwright::cost
