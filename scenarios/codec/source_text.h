#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "models/base/diagnostic.h"

namespace rackwright::scenarios {

/// The bytes of one input file and where its lines begin.
class SourceText {
 public:
  SourceText(std::string file, std::string text);

  const std::string& file() const { return file_; }
  std::string_view text() const { return text_; }

  /// Line and column of a byte offset, both from 1; columns count characters, not bytes.
  Location location(std::size_t offset) const;

  std::size_t line_begin(std::size_t offset) const;
  /// The offset of the line break that ends the line (of its "\r" where it is "\r\n"), or the end of the text.
  std::size_t line_end(std::size_t offset) const;
  /// "\n", or "\r\n" where the first line ends so.
  std::string_view line_break() const;

 private:
  std::string file_;
  std::string text_;
  std::vector<std::size_t> line_begins_;  ///< The first one behind a byte order mark.
};

}  // namespace rackwright::scenarios
