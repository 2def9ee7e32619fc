#include "traces/rows/hash_list.h"

#include <charconv>

#include "models/base/hash.h"

namespace rackwright::traces {

std::uint64_t block_hash(std::string_view text) {
  std::uint64_t value = 0;
  const auto [stop, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure == std::errc{} && stop == text.data() + text.size()) return value;
  std::int64_t negative = 0;
  const auto [end, bad] = std::from_chars(text.data(), text.data() + text.size(), negative);
  if (bad == std::errc{} && end == text.data() + text.size()) return static_cast<std::uint64_t>(negative);
  return hash64(text);
}

void append_block_hashes(std::string_view cell, std::vector<std::uint64_t>& hashes) {
  constexpr std::string_view separators = " \t\r\n,;|[]()'\"";
  for (std::size_t begin = cell.find_first_not_of(separators); begin != std::string_view::npos;) {
    const std::size_t end = std::min(cell.find_first_of(separators, begin), cell.size());
    hashes.push_back(block_hash(cell.substr(begin, end - begin)));
    begin = cell.find_first_not_of(separators, end);
  }
}

}  // namespace rackwright::traces
