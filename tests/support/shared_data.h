#pragma once

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>

#include "tests/support/catch.h"

namespace rackwright::test {

/// The data that is not part of the repository: RACKWRIGHT_DATA, else ../shared/data beside the sources.
/// Where `relative` is not there, the test case ends as skipped, with the reason.
inline std::filesystem::path shared_data(const std::string& relative) {
  const char* named = std::getenv("RACKWRIGHT_DATA");
  const std::filesystem::path root =
      named != nullptr ? std::filesystem::path(named) : std::filesystem::path(RACKWRIGHT_SOURCE_DIR) / ".." / "shared" / "data";
  const std::filesystem::path path = root / relative;
  if (std::filesystem::exists(path)) return path;
#if CATCH2_VERSION_MAJOR >= 3
  SKIP("no " << path.string() << "; set RACKWRIGHT_DATA");
#else
  // One process runs one test case, and ctest knows 4 as "skipped".
  std::cout << "skipped: no " << path.string() << "; set RACKWRIGHT_DATA\n";
  std::exit(4);
#endif
  return path;
}

}  // namespace rackwright::test
