#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rackwright::topologies {

/// The lines of a text without their ends: LF or CRLF, with or without one at the end, no byte order mark.
std::vector<std::string_view> split_lines(std::string_view text);

/// A word and the column (from 1) where it starts.
struct Word {
  std::string text;
  int column = 0;
};

/// Words between blanks and tabs. Terminal escapes (ESC [ … letter) are no part of any.
std::vector<Word> split_words(std::string_view line);

std::string_view trimmed(std::string_view text);

/// The whole text as a finite number, blanks around it allowed; nothing if it is not one.
std::optional<double> to_number(std::string_view text);
std::optional<long> to_integer(std::string_view text);

}  // namespace rackwright::topologies
