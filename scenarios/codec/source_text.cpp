#include "scenarios/codec/source_text.h"

#include <algorithm>
#include <utility>

namespace rackwright::scenarios {

SourceText::SourceText(std::string file, std::string text)
    : file_(std::move(file)), text_(std::move(text)) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  line_begins_.push_back(text_.starts_with(byte_order_mark) ? byte_order_mark.size() : 0);
  for (std::size_t at = text_.find('\n'); at != std::string::npos; at = text_.find('\n', at + 1)) {
    line_begins_.push_back(at + 1);
  }
}

std::size_t SourceText::line_begin(std::size_t offset) const {
  return *std::prev(std::ranges::upper_bound(line_begins_, std::max(offset, line_begins_.front())));
}

std::size_t SourceText::line_end(std::size_t offset) const {
  const std::size_t newline = text_.find('\n', offset);
  if (newline == std::string::npos) return text_.size();
  return newline > offset && text_[newline - 1] == '\r' ? newline - 1 : newline;
}

std::string_view SourceText::line_break() const {
  const std::size_t newline = text_.find('\n');
  return newline != std::string::npos && newline > 0 && text_[newline - 1] == '\r' ? "\r\n" : "\n";
}

Location SourceText::location(std::size_t offset) const {
  offset = std::clamp(offset, line_begins_.front(), text_.size());
  const auto line = std::prev(std::ranges::upper_bound(line_begins_, offset));
  const auto is_first_byte = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
  const auto column = std::ranges::count_if(std::string_view(text_).substr(*line, offset - *line), is_first_byte);
  return {file_, static_cast<int>(line - line_begins_.begin()) + 1, static_cast<int>(column) + 1};
}

}  // namespace rackwright::scenarios
