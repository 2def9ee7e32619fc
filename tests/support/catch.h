#pragma once

#include <string>

/// Catch2 2.13 (Debian 12) and 3.x (later distributions) by one include.
#if CATCH2_VERSION_MAJOR >= 3
#include <catch2/catch_all.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>
#endif

namespace rackwright::test {

/// For CHECK_THROWS_WITH: a message with this part.
inline auto contains(const std::string& part) {
#if CATCH2_VERSION_MAJOR >= 3
  return Catch::Matchers::ContainsSubstring(part);
#else
  return Catch::Contains(part);
#endif
}

}  // namespace rackwright::test
