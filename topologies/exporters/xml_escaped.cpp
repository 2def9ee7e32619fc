#include <cstddef>

#include "topologies/exporters/exporters.h"

namespace rackwright::topologies {

namespace {

/// Bytes of the UTF-8 character at the start of `text`; 0 if they are none that XML 1.0 allows.
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return first >= 0x20 ? 1 : 0;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  // Overlong forms, surrogates, beyond U+10FFFF, and U+FFFE and U+FFFF.
  const unsigned char second = byte(1);
  if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) || (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f)) return 0;
  if (first == 0xef && second == 0xbf && byte(2) >= 0xbe) return 0;
  return length;
}

}  // namespace

std::string xml_escaped(std::string_view text) {
  std::string escaped;
  while (!text.empty()) {
    std::size_t length = 1;
    switch (text.front()) {
      case '&': escaped += "&amp;"; break;
      case '<': escaped += "&lt;"; break;
      case '>': escaped += "&gt;"; break;
      case '"': escaped += "&quot;"; break;
      // Bare, a parser would turn them into blanks.
      case '\t': escaped += "&#9;"; break;
      case '\n': escaped += "&#10;"; break;
      case '\r': escaped += "&#13;"; break;
      default:
        length = character_length(text);
        if (length == 0) {
          escaped += "\xef\xbf\xbd";
          length = 1;
        } else {
          escaped += text.substr(0, length);
        }
    }
    text.remove_prefix(length);
  }
  return escaped;
}

}  // namespace rackwright::topologies
