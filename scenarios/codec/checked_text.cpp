#include "scenarios/codec/checked_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "scenarios/schema/utf8.h"

namespace rackwright::scenarios {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

/// What YAML 1.2 calls printable, less the three characters that YAML 1.1 takes for line breaks and other
/// programs do not: a line number must mean the same to everyone.
bool allowed(char32_t code) {
  if (code == U'\t' || code == U'\n' || code == U'\r') return true;
  if (code < 0x20 || (code >= 0x7F && code < 0xA0)) return false;
  return code != 0x2028 && code != 0x2029 && code != 0xFEFF && code != 0xFFFE && code != 0xFFFF;
}

std::optional<char32_t> escaped_unit(std::string_view text) {
  if (text.size() < 6 || !text.starts_with("\\u")) return std::nullopt;
  unsigned code = 0;
  const auto [stop, failure] = std::from_chars(text.data() + 2, text.data() + 6, code, 16);
  if (stop != text.data() + 6 || failure != std::errc{}) return std::nullopt;
  return static_cast<char32_t>(code);
}

/// The character behind "\ud83d\ude00" at the front of `text`.
std::optional<char32_t> escaped_pair(std::string_view text) {
  const std::optional<char32_t> high = escaped_unit(text);
  if (!high || *high < 0xD800 || *high > 0xDBFF) return std::nullopt;
  const std::optional<char32_t> low = escaped_unit(text.substr(6));
  if (!low || *low < 0xDC00 || *low > 0xDFFF) return std::nullopt;
  return 0x10000 + ((*high - 0xD800) << 10) + (*low - 0xDC00);
}

}  // namespace

CheckedText::CheckedText(const SourceText& source, Surrogates surrogates, Diagnostics& diagnostics)
    : source_size_(source.text().size()) {
  const std::string_view bytes = source.text();
  text_.reserve(bytes.size() + 1);
  std::size_t at = bytes.starts_with(byte_order_mark) ? byte_order_mark.size() : 0;
  anchors_.push_back({0, at});
  bool reported_encoding = false;
  bool reported_control = false;
  const auto is_common = [](char c) { return (c >= ' ' && c <= '~' && c != '\\') || c == '\n'; };
  while (at < bytes.size()) {
    // Nearly everything is a run of such characters.
    std::size_t run = at;
    while (run < bytes.size() && is_common(bytes[run])) ++run;
    text_.append(bytes, at, run - at);
    characters_ += run - at;
    at = run;
    if (at == bytes.size()) break;
    const std::string_view rest = bytes.substr(at);
    if (surrogates == Surrogates::join && rest.front() == '\\') {
      if (const std::optional<char32_t> code = escaped_pair(rest)) {
        std::string joined;
        append_utf8(joined, *code);
        at += 12;
        append(joined, at);
        continue;
      }
      const std::size_t kept = rest.size() > 1 && static_cast<unsigned char>(rest[1]) < 0x80 ? 2 : 1;
      text_ += rest.substr(0, kept);
      characters_ += kept;
      at += kept;
      continue;
    }
    const Utf8Character character = first_character(rest);
    const bool lone_return = rest.front() == '\r' && !rest.starts_with("\r\n");
    if (character.size == 0) {
      if (!reported_encoding) {
        diagnostics.error(source.location(at), "", fmt::format("byte 0x{:02X} is not valid UTF-8", static_cast<unsigned char>(rest.front())),
                          "save the file as UTF-8");
      }
      reported_encoding = true;
    } else if ((!allowed(character.code) || lone_return) && !reported_control) {
      diagnostics.error(source.location(at), "",
                        fmt::format("the character U+{:04X} is not allowed", static_cast<std::uint32_t>(character.code)),
                        lone_return ? "end lines with a line feed" : "inside double quotes it can be written as an escape");
      reported_control = true;
    }
    const std::size_t size = std::max<std::size_t>(1, character.size);
    at += size;
    append(rest.substr(0, size), at);
  }
  // A final line means the same with and without its line break.
  if (!text_.ends_with('\n')) text_ += '\n';
}

void CheckedText::append(std::string_view bytes, std::size_t next_offset) {
  text_ += bytes;
  ++characters_;
  if (bytes.size() != 1) anchors_.push_back({characters_, next_offset});
}

std::size_t CheckedText::source_offset(std::size_t character_index) const {
  const auto after = std::ranges::upper_bound(anchors_, character_index, {}, &Anchor::character);
  const Anchor& anchor = *std::prev(after);
  return std::min(source_size_, anchor.offset + (character_index - anchor.character));
}

}  // namespace rackwright::scenarios
