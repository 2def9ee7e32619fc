#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace rackwright {

/// XXH3, 64 bits: names the content of an input in a run folder and keys random streams.
std::uint64_t hash64(std::string_view bytes, std::uint64_t seed = 0);

/// Sixteen hexadecimal digits.
std::string hex(std::uint64_t value);

}  // namespace rackwright
