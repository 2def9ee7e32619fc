#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rackwright::traces {

/// Splits one CSV record (RFC 4180; quotes may enclose delimiters and newlines, "" is a quote) into trimmed cells.
/// False when a quote is left open. Cells with inner quotes are unescaped into `scratch`; all views live as long as
/// both `record` and `scratch` stay as they are.
bool split_csv(std::string_view record, char delimiter, std::vector<std::string_view>& cells, std::string& scratch);

/// Says, line by line, whether a record goes on in the next line because a quoted cell is still open.
class OpenQuote {
 public:
  explicit OpenQuote(char delimiter) : delimiter_(delimiter) {}
  void feed(std::string_view text);
  bool open() const { return state_ == State::quoted; }

 private:
  enum class State { cell_start, plain, quoted, quote_seen };

  char delimiter_;
  State state_ = State::cell_start;
};

/// The delimiter of a header line: the most frequent of , ; tab | outside quotes, a comma when there is none.
char csv_delimiter(std::string_view header);

}  // namespace rackwright::traces
