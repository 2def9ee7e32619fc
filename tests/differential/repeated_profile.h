#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "models/base/diagnostic.h"

namespace rackwright::test {

/// How the points of one family and mode come out again in another run.
struct RepeatedFamily {
  std::string family;
  std::string mode;
  std::size_t points = 0;        ///< Timed in both runs.
  std::size_t repeat = 0;        ///< |again − before| ≤ max(p90 − p10, 3 % of before), the spread being that of before.
  double median_difference = 0;  ///< Of again / before − 1.
  double worst_difference = 0;   ///< The one furthest from zero.
  std::string worst;             ///< Its shape.

  double share() const { return static_cast<double>(repeat) / static_cast<double>(points); }
};

/// Every timed table that both folders of operator tables hold, point by point. Families in the order of their names.
std::vector<RepeatedFamily> repeated_families(const std::filesystem::path& before, const std::filesystem::path& again, Diagnostics& diagnostics);

/// As a table in Markdown.
std::string text_of(const std::vector<RepeatedFamily>& families);

}  // namespace rackwright::test
