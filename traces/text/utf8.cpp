#include "traces/text/utf8.h"

#include <simdjson.h>

#include <algorithm>

namespace rackwright::traces {
namespace {

/// Length of the well-formed character at the front (RFC 3629, table 3-7 of Unicode), 0 if there is none.
std::size_t character_length(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto follows = [&](std::size_t i) { return i < text.size() && (byte(i) & 0xc0) == 0x80; };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return follows(1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    if (!follows(1) || !follows(2)) return 0;
    const bool overlong = first == 0xe0 && byte(1) < 0xa0;
    const bool surrogate = first == 0xed && byte(1) > 0x9f;
    return overlong || surrogate ? 0 : 3;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    if (!follows(1) || !follows(2) || !follows(3)) return 0;
    const bool overlong = first == 0xf0 && byte(1) < 0x90;
    const bool too_large = first == 0xf4 && byte(1) > 0x8f;
    return overlong || too_large ? 0 : 4;
  }
  return 0;
}

}  // namespace

bool is_utf8(std::string_view text) {
  // Most rows are plain ASCII and short, for which the vector code does not pay.
  const bool ascii = std::ranges::all_of(text, [](char c) { return static_cast<signed char>(c) >= 0; });
  return ascii || simdjson::validate_utf8(text.data(), text.size());
}

std::string repair_utf8(std::string_view text) {
  constexpr std::string_view replacement = "\xef\xbf\xbd";
  std::string repaired;
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    repaired += length > 0 ? text.substr(0, length) : replacement;
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return repaired;
}

}  // namespace rackwright::traces
