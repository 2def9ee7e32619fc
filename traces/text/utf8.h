#pragma once

#include <string>
#include <string_view>

namespace rackwright::traces {

bool is_utf8(std::string_view text);

/// The text with every byte that belongs to no UTF-8 character replaced by U+FFFD.
std::string repair_utf8(std::string_view text);

}  // namespace rackwright::traces
