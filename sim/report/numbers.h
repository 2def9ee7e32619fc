#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace rackwright::report {

/// "19,366".
std::string grouped(std::int64_t count);
/// A multiple of `step` with the decimals that the step needs: 0.25, 12,000.
std::string grouped(double value, double step);
/// Three significant digits, or all digits before the point: "5.23", "17.1", "12,345".
std::string rounded(double value);
/// "97.3 %"; "100 %" only for 1, and "0 %" only for 0.
std::string percent(double fraction);
/// Three significant digits with the unit that fits: "42.0 ms", "9.81 kW". For results.
std::string quantity(double value, std::string_view dimension);
/// As many digits as were given: "25 ms". For limits and other inputs.
std::string stated(double value, std::string_view dimension);
/// No more digits than a round number needs: "10 µs". For ticks.
std::string round_quantity(double value, std::string_view dimension);
/// A length of simulated time: "58 min 20 s", "12.3 s".
std::string duration(double seconds);

}  // namespace rackwright::report
