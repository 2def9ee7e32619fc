#include "gui/document/text_difference.h"

#include <algorithm>
#include <string>

namespace rackwright::gui {
namespace {

bool continuesCharacter(std::string_view text, std::size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
}

}  // namespace

std::optional<scenarios::TextEdit> difference(std::string_view before, std::string_view after) {
  if (before == after) return std::nullopt;
  const auto [b, a] = std::ranges::mismatch(before, after);
  auto begin = static_cast<std::size_t>(b - before.begin());
  while (begin > 0 && (continuesCharacter(before, begin) || continuesCharacter(after, begin))) --begin;

  const std::size_t longestEnd = std::min(before.size(), after.size()) - begin;
  std::size_t end = 0;
  while (end < longestEnd && before[before.size() - 1 - end] == after[after.size() - 1 - end]) ++end;
  while (end > 0 && (continuesCharacter(before, before.size() - end) || continuesCharacter(after, after.size() - end))) --end;
  return scenarios::TextEdit{begin, before.size() - end - begin, std::string(after.substr(begin, after.size() - end - begin))};
}

}  // namespace rackwright::gui
