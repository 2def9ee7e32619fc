#include "traces/rows/column_mapping.h"

namespace rackwright::traces {
namespace {

constexpr std::array<std::string_view, field_count> names{
    "arrival", "input_tokens", "output_tokens", "model", "class", "session", "id", "parent", "block_hashes",
    "block_tokens", "first_token", "completion", "think_time", "clock", "status", "error", "cached",
    "cache_read_tokens", "cache_write_tokens", "reasoning_tokens", "acceptance", "speech", "tool", "tool_time", "tools"};

}  // namespace

std::string_view to_string(Field field) { return names[static_cast<std::size_t>(field)]; }

std::optional<Field> find_field(std::string_view name) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return static_cast<Field>(i);
  }
  return std::nullopt;
}

}  // namespace rackwright::traces
