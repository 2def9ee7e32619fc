#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "traces/text/text_buffer.h"

namespace rackwright::traces {

/// Cuts a JSON text of any size into its row objects without holding more than one of them.
///
/// Rows are the objects in every list under the key `row_key`, at any depth; without a key they are the
/// top-level objects and the objects of top-level lists. Only brackets and strings are looked at, so the rows
/// are not checked.
class JsonSplitter {
 public:
  JsonSplitter(TextBuffer& text, std::string row_key) : text_(text), row_key_(std::move(row_key)) {}

  /// The next row object and its line; false at the end. The view lives until the next call.
  bool next(std::string_view& row, std::uint64_t& line);
  /// Why the text ended early, such as an open bracket; empty when it did not.
  std::string_view problem() const { return problem_; }

 private:
  struct Level {
    bool list = false;
    bool rows = false;  ///< A list whose objects are rows.
  };

  bool peek(char& c);
  void skip(std::size_t count);
  bool skip_string(std::string* content);
  bool measure_object(std::size_t& length);
  bool fail(std::string why);

  TextBuffer& text_;
  std::string row_key_;
  std::string last_string_;
  std::vector<Level> open_;
  std::size_t row_length_ = 0;  ///< Of the row given last, still at the front of the window.
  std::uint64_t line_ = 1;
  std::string problem_;
};

}  // namespace rackwright::traces
