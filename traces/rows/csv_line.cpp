#include "traces/rows/csv_line.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace rackwright::traces {
namespace {

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

/// The cell that starts with a quote at `at`; moves `at` behind the closing quote. False when none closes it.
bool take_quoted(std::string_view record, std::size_t& at, std::string_view& cell, std::string& scratch) {
  const std::size_t begin = ++at;
  bool doubled = false;
  for (;; at += 2) {
    at = record.find('"', at);
    if (at == std::string_view::npos) return false;
    if (at + 1 >= record.size() || record[at + 1] != '"') break;
    doubled = true;
  }
  cell = record.substr(begin, at++ - begin);
  if (doubled) {
    const std::size_t start = scratch.size();
    for (std::size_t i = 0; i < cell.size(); ++i) {
      scratch += cell[i];
      if (cell[i] == '"') ++i;
    }
    cell = std::string_view(scratch).substr(start);
  }
  return true;
}

}  // namespace

bool split_csv(std::string_view record, char delimiter, std::vector<std::string_view>& cells, std::string& scratch) {
  cells.clear();
  if (std::memchr(record.data(), '"', record.size()) == nullptr) {
    for (std::size_t begin = 0;;) {
      const std::size_t end = record.find(delimiter, begin);
      cells.push_back(trim(record.substr(begin, end - begin)));
      if (end == std::string_view::npos) return true;
      begin = end + 1;
    }
  }
  scratch.clear();
  scratch.reserve(record.size());  // Unescaping only shortens, so no view into it moves.
  for (std::size_t at = 0;;) {
    std::string_view cell;
    const std::size_t first = std::min(record.find_first_not_of(" ", at), record.size());
    if (first < record.size() && record[first] == '"') {
      at = first;
      if (!take_quoted(record, at, cell, scratch)) return false;
      at = std::min(record.find(delimiter, at), record.size());
    } else {
      const std::size_t end = std::min(record.find(delimiter, at), record.size());
      cell = trim(record.substr(at, end - at));
      at = end;
    }
    cells.push_back(cell);
    if (at == record.size()) return true;
    ++at;
  }
}

void OpenQuote::feed(std::string_view text) {
  for (const char c : text) {
    switch (state_) {
      case State::cell_start:
        if (c == '"') state_ = State::quoted;
        else if (c != ' ' && c != delimiter_) state_ = State::plain;
        break;
      case State::plain:
        if (c == delimiter_) state_ = State::cell_start;
        break;
      case State::quoted:
        if (c == '"') state_ = State::quote_seen;
        break;
      case State::quote_seen:
        if (c == '"') state_ = State::quoted;
        else state_ = c == delimiter_ ? State::cell_start : State::plain;
        break;
    }
  }
}

char csv_delimiter(std::string_view header) {
  constexpr std::string_view candidates = ",;\t|";
  std::array<std::size_t, candidates.size()> counts{};
  bool quoted = false;
  for (const char c : header) {
    if (c == '"') quoted = !quoted;
    const std::size_t which = candidates.find(c);
    if (!quoted && which != std::string_view::npos) ++counts[which];
  }
  return candidates[static_cast<std::size_t>(std::ranges::max_element(counts) - counts.begin())];
}

}  // namespace rackwright::traces
