#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace rackwright::results {

/// Probabilities at which a distribution is kept for drawing: every percent, every per mille of the
/// last two percent, and the far tail.
inline constexpr auto curve_probabilities = [] {
  std::array<double, 98 + 20 + 3> p{};
  std::size_t n = 0;
  for (int percent = 0; percent < 98; ++percent) p[n++] = percent / 100.0;
  for (int mille = 980; mille < 1000; ++mille) p[n++] = mille / 1000.0;
  p[n++] = 0.9995;
  p[n++] = 0.9999;
  p[n++] = 1;
  return p;
}();

/// The values of a distribution at `curve_probabilities`, in seconds: enough to draw it without its values.
struct DurationCurve {
  std::string metric;  ///< "ttft", "tpot", "itl", "e2e", "queue".
  std::int64_t count = 0;
  bool exact = true;
  std::vector<double> values_s;
};

}  // namespace rackwright::results
