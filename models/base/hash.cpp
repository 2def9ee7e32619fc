#include "models/base/hash.h"

#include <fmt/format.h>
#include <xxhash.h>

namespace rackwright {

std::uint64_t hash64(std::string_view bytes, std::uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

std::string hex(std::uint64_t value) { return fmt::format("{:016x}", value); }

}  // namespace rackwright
