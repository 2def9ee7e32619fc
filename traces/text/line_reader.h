#pragma once

#include <cstdint>
#include <string_view>

#include "traces/text/text_buffer.h"

namespace rackwright::traces {

/// How a file ends its lines, noted while reading.
struct LineMarks {
  bool byte_order_mark = false;
  bool crlf = false;
  bool final_newline = true;
};

/// Lines without their ends (LF or CRLF), the last one with or without a newline.
class LineReader {
 public:
  /// A longer line is cut out; prompts in access logs reach megabytes.
  static constexpr std::size_t longest_line = std::size_t{64} << 20;

  explicit LineReader(TextBuffer& text) : text_(text) {}

  /// False at the end. The view lives until the next call.
  bool next(std::string_view& line);
  /// Joins the following line to the one just given, for quoted newlines; false at the end of the text.
  bool extend(std::string_view& lines);
  /// Takes back what `extend` joined: `next` continues behind the first line.
  void unextend() { taken_ = first_taken_, lines_taken_ = 1; }

  /// Line number, from 1, at which the current record starts.
  std::uint64_t line_number() const { return line_number_; }
  /// True when the current line was longer than `longest_line` and is empty for that reason.
  bool too_long() const { return too_long_; }
  LineMarks marks() const { return {text_.had_byte_order_mark(), crlf_, final_newline_}; }

 private:
  bool find_end(std::size_t from, std::size_t& end, std::size_t& taken);

  TextBuffer& text_;
  std::size_t taken_ = 0;        ///< Bytes of the window that the current record covers.
  std::size_t first_taken_ = 0;  ///< The same, of its first line.
  std::uint64_t lines_taken_ = 0;
  std::uint64_t line_number_ = 1;
  bool too_long_ = false;
  bool crlf_ = false;
  bool final_newline_ = true;
};

}  // namespace rackwright::traces
