#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rackwright::scenarios {

/// One character of UTF-8 text.
struct Utf8Character {
  char32_t code = 0;
  std::size_t size = 0;  ///< In bytes; 0 when the bytes are not valid UTF-8.
};

/// The character at the front of non-empty `text`; overlong forms, surrogates and values past U+10FFFF are invalid.
Utf8Character first_character(std::string_view text);

bool is_utf8(std::string_view text);

void append_utf8(std::string& text, char32_t code);

}  // namespace rackwright::scenarios
