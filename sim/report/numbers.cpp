#include "sim/report/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/base/quantity.h"

namespace rackwright::report {
namespace {

/// Commas between the thousands of the whole part.
std::string with_commas(std::string digits) {
  const std::size_t point = std::min(digits.find('.'), digits.size());
  const std::size_t first = digits.starts_with('-') ? 1 : 0;
  for (std::size_t at = point; at > first + 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

std::string with_micro_sign(std::string text) {
  if (text.ends_with(" us")) text.replace(text.size() - 2, 1, "µ");
  return text;
}

}  // namespace

std::string grouped(std::int64_t count) { return with_commas(fmt::format("{}", count)); }

std::string grouped(double value, double step) {
  const int decimals = std::max(0, static_cast<int>(std::ceil(-std::log10(step) - 1e-9)));
  return with_commas(fmt::format("{:.{}f}", value == 0 ? 0 : value, decimals));
}

std::string rounded(double value) {
  const double size = std::abs(value);
  if (size == 0) return "0";
  if (size < 1e-3) return fmt::format("{:.2e}", value);
  const int decimals = std::clamp(2 - static_cast<int>(std::floor(std::log10(size))), 0, 5);
  return with_commas(fmt::format("{:.{}f}", value, decimals));
}

std::string percent(double fraction) {
  const double value = fraction * 100;
  if (value == 0 || value == 100) return fmt::format("{:g} %", value);
  if (value > 99.9) return fmt::format("{:.{}f} %", std::min(value, value > 99.99 ? 99.999 : 99.99), value > 99.99 ? 3 : 2);
  if (value < 0.1) return "< 0.1 %";
  return fmt::format("{:.1f} %", value);
}

std::string quantity(double value, std::string_view dimension) {
  const std::string text = format_quantity(value, dimension, 3);
  const std::size_t space = text.find(' ');
  const Unit* unit = space == std::string::npos ? nullptr : find_unit(std::string_view(text).substr(space + 1));
  if (!unit || value == 0) return with_micro_sign(text);
  return with_micro_sign(fmt::format("{} {}", rounded(value / unit->scale), unit->symbol));
}

std::string stated(double value, std::string_view dimension) { return with_micro_sign(format_quantity(value, dimension)); }

std::string round_quantity(double value, std::string_view dimension) {
  return with_micro_sign(format_quantity(value, dimension, 3));
}

std::string duration(double seconds) {
  if (seconds < 120) return quantity(seconds, "s");
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  if (whole < 7200) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  if (whole < 2 * 86400) return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
  return fmt::format("{} d {:02} h", whole / 86400, whole % 86400 / 3600);
}

}  // namespace rackwright::report
