#include "sim/report/text_table.h"

#include <algorithm>

namespace rackwright::report {

std::size_t width_of(const std::string& text) {
  // Every byte but those that continue a character.
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string toned(const std::string& text, Tone tone, TextStyle style) {
  if (style == TextStyle::plain || tone == Tone::normal || text.empty()) return text;
  const char* code = tone == Tone::strong ? "1" : tone == Tone::quiet ? "2" : tone == Tone::good ? "32" : "31";
  return std::string("\x1b[") + code + "m" + text + "\x1b[0m";
}

std::string TextTable::text(TextStyle style) const {
  std::vector<std::size_t> widths;
  const auto measure = [&](std::size_t column, const std::string& text) {
    if (widths.size() <= column) widths.resize(column + 1);
    widths[column] = std::max(widths[column], width_of(text));
  };
  for (std::size_t i = 0; i < head_.size(); ++i) measure(i, head_[i]);
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) measure(i, row[i].text);
  }
  std::string all;
  const auto line = [&](const std::vector<TextCell>& row) {
    std::string text;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string pad(widths[i] - width_of(row[i].text), ' ');
      const std::string shown = toned(row[i].text, row[i].tone, style);
      text += i == 0 ? shown + pad : "  " + pad + shown;
    }
    all += text.substr(0, text.find_last_not_of(' ') + 1) + '\n';
  };
  std::vector<TextCell> head;
  for (const std::string& text : head_) head.emplace_back(text, Tone::quiet);
  line(head);
  for (const auto& row : rows_) line(row);
  return all;
}

}  // namespace rackwright::report
