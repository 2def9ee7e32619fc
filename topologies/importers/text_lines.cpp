#include "topologies/importers/text_lines.h"

#include <charconv>
#include <cmath>

namespace rackwright::topologies {

namespace {

constexpr std::string_view blanks = " \t\r\n\v\f";

/// Length of the terminal escape sequence at the start of `text`, or 0.
std::size_t escape_length(std::string_view text) {
  if (text.size() < 2 || text[0] != '\x1b' || text[1] != '[') return 0;
  std::size_t end = 2;
  while (end < text.size() && (text[end] < '@' || text[end] > '~')) ++end;
  return end < text.size() ? end + 1 : end;
}

}  // namespace

std::vector<std::string_view> split_lines(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

std::vector<Word> split_words(std::string_view line) {
  std::vector<Word> words;
  bool in_word = false;
  for (std::size_t i = 0; i < line.size();) {
    if (const std::size_t escape = escape_length(line.substr(i)); escape > 0) {
      i += escape;
      continue;
    }
    const bool is_blank = blanks.find(line[i]) != std::string_view::npos;
    if (!is_blank && !in_word) words.push_back({{}, static_cast<int>(i) + 1});
    if (!is_blank) words.back().text += line[i];
    in_word = !is_blank;
    ++i;
  }
  return words;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::optional<double> to_number(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<long> to_integer(std::string_view text) {
  text = trimmed(text);
  long value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

}  // namespace rackwright::topologies
