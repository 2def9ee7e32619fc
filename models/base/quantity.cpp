#include "models/base/quantity.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "models/base/names.h"

namespace rackwright {
namespace {

// Bytes are decimal (GB = 1e9 B); the binary ones are written GiB. Bits per second are kept in B/s.
constexpr auto units = std::to_array<Unit>({
    {"ps", "s", 1e-12}, {"ns", "s", 1e-9}, {"us", "s", 1e-6}, {"µs", "s", 1e-6}, {"ms", "s", 1e-3},
    {"s", "s", 1}, {"min", "s", 60}, {"h", "s", 3600}, {"d", "s", 86400}, {"week", "s", 604800},
    {"/d", "1/s", 1.0 / 86400}, {"/h", "1/s", 1.0 / 3600}, {"/min", "1/s", 1.0 / 60}, {"/s", "1/s", 1}, {"1/s", "1/s", 1},
    {"B", "B", 1}, {"kB", "B", 1e3}, {"KiB", "B", 1024}, {"MB", "B", 1e6}, {"MiB", "B", 1048576},
    {"GB", "B", 1e9}, {"GiB", "B", 1073741824}, {"TB", "B", 1e12}, {"TiB", "B", 1099511627776}, {"PB", "B", 1e15},
    {"b/s", "B/s", 0.125}, {"B/s", "B/s", 1}, {"kb/s", "B/s", 125}, {"kB/s", "B/s", 1e3}, {"Mb/s", "B/s", 125e3},
    {"MB/s", "B/s", 1e6}, {"MiB/s", "B/s", 1048576}, {"Gb/s", "B/s", 125e6}, {"GB/s", "B/s", 1e9},
    {"GiB/s", "B/s", 1073741824}, {"Tb/s", "B/s", 125e9}, {"TB/s", "B/s", 1e12}, {"TiB/s", "B/s", 1099511627776},
    {"Pb/s", "B/s", 125e12}, {"PB/s", "B/s", 1e15},
    {"FLOP/s", "FLOP/s", 1}, {"MFLOP/s", "FLOP/s", 1e6}, {"GFLOP/s", "FLOP/s", 1e9}, {"TFLOP/s", "FLOP/s", 1e12},
    {"PFLOP/s", "FLOP/s", 1e15}, {"EFLOP/s", "FLOP/s", 1e18},
    {"mW", "W", 1e-3}, {"W", "W", 1}, {"kW", "W", 1e3}, {"MW", "W", 1e6},
    {"pJ", "J", 1e-12}, {"uJ", "J", 1e-6}, {"mJ", "J", 1e-3}, {"J", "J", 1}, {"kJ", "J", 1e3}, {"Wh", "J", 3600},
    {"MJ", "J", 1e6}, {"kWh", "J", 3.6e6}, {"GJ", "J", 1e9}, {"MWh", "J", 3.6e9},
    {"pJ/bit", "J/B", 8e-12}, {"pJ/B", "J/B", 1e-12}, {"J/B", "J/B", 1},
    {"Hz", "Hz", 1}, {"kHz", "Hz", 1e3}, {"MHz", "Hz", 1e6}, {"GHz", "Hz", 1e9},
    {"degC", "degC", 1}, {"K", "K", 1}, {"K/W", "K/W", 1},
    {"L/h", "L/s", 1.0 / 3600}, {"L/min", "L/s", 1.0 / 60}, {"L/s", "L/s", 1},
    {"Pa", "Pa", 1}, {"kPa", "Pa", 1e3}, {"bar", "Pa", 1e5},
    {"J/K", "J/K", 1}, {"kJ/K", "J/K", 1e3},
    {"mm", "m", 1e-3}, {"cm", "m", 1e-2}, {"m", "m", 1}, {"km", "m", 1e3},
    {"mm2", "m2", 1e-6}, {"m2", "m2", 1}, {"g", "kg", 1e-3}, {"kg", "kg", 1}, {"t", "kg", 1e3},
    {"V", "V", 1}, {"kV", "V", 1e3}, {"A", "A", 1},
    {"USD", "USD", 1}, {"USD/h", "USD/h", 1}, {"USD/kWh", "USD/J", 1.0 / 3.6e6}, {"USD/J", "USD/J", 1},
    {"U", "U", 1}, {"%", "fraction", 0.01}, {"fraction", "fraction", 1},
});

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::string example(std::string_view dimension) {
  std::string symbols;
  for (const Unit* unit : units_of(dimension)) symbols += (symbols.empty() ? "" : ", ") + std::string(unit->symbol);
  return "units: " + symbols;
}

/// The largest unit of a power of 1000 that is not above the value, else the smallest;
/// "min", "GiB" and other odd scales are passed over.
const Unit* unit_for(double value, std::string_view dimension) {
  const Unit* best = nullptr;
  for (const Unit* unit : units_of(dimension)) {
    const double thousands = std::log10(unit->scale) / 3;
    const bool plain = std::abs(thousands - std::round(thousands)) < 1e-9;
    if (!plain || unit->symbol == "µs" || unit->symbol == "1/s") continue;
    const bool fits = value == 0 ? unit->scale <= 1 : unit->scale <= std::abs(value) * (1 + 1e-12);
    if (!best || fits) best = unit;
  }
  return best;
}

}  // namespace

const Unit* find_unit(std::string_view symbol) {
  const auto found = std::ranges::find(units, symbol, &Unit::symbol);
  return found == units.end() ? nullptr : &*found;
}

std::vector<const Unit*> units_of(std::string_view dimension) {
  std::vector<const Unit*> found;
  for (const Unit& unit : units) {
    if (unit.dimension == dimension) found.push_back(&unit);
  }
  std::ranges::stable_sort(found, {}, &Unit::scale);
  return found;
}

std::optional<double> parse_quantity(std::string_view text, std::string_view dimension, QuantityError& error) {
  const std::string_view whole = trim(text);
  double number = 0;
  const char* begin = whole.data();
  const char* end = begin + whole.size();
  if (begin != end && *begin == '+') ++begin;
  const auto [stop, failure] = std::from_chars(begin, end, number);
  if (failure != std::errc{} || !std::isfinite(number)) {
    error = {fmt::format("'{}' is not a number", whole), dimension.empty() ? "" : example(dimension)};
    return std::nullopt;
  }
  const std::string_view symbol = trim({stop, static_cast<std::size_t>(end - stop)});
  if (dimension.empty()) {
    if (symbol.empty()) return number;
    error = {fmt::format("a plain number is expected, not '{}'", whole), fmt::format("leave out '{}'", symbol)};
    return std::nullopt;
  }
  if (symbol.empty()) {
    if (dimension == "fraction") return number;
    error = {fmt::format("'{}' has no unit", whole), example(dimension)};
    return std::nullopt;
  }
  const Unit* unit = find_unit(symbol);
  if (unit && unit->dimension == dimension) return number * unit->scale;
  if (unit) {
    error = {fmt::format("'{}' is in {}, but {} is expected", whole, symbol, dimension), example(dimension)};
  } else {
    error = {fmt::format("'{}' is not a known unit", symbol), example(dimension)};
  }
  return std::nullopt;
}

std::string format_quantity(double value, std::string_view dimension) {
  if (dimension.empty() || dimension == "fraction") return fmt::format("{}", value);
  const Unit* unit = unit_for(value, dimension);
  if (!unit) return fmt::format("{} {}", value, dimension);
  // Dividing by the scale can leave a last digit too many (0.0005 s is 499.99999999999994 us).
  const double written = value / unit->scale;
  for (const std::string& number : {fmt::format("{:.15g}", written), fmt::format("{}", written)}) {
    const std::string text = fmt::format("{} {}", number, unit->symbol);
    QuantityError error;
    if (parse_quantity(text, dimension, error) == value) return text;
  }
  return fmt::format("{} {}", value, dimension == "1/s" ? "/s" : dimension);
}

std::string format_quantity(double value, std::string_view dimension, int digits) {
  if (dimension.empty() || dimension == "fraction") return fmt::format("{:.{}g}", value, digits);
  const Unit* unit = unit_for(value, dimension);
  if (!unit) return fmt::format("{:.{}g} {}", value, digits, dimension);
  return fmt::format("{:.{}g} {}", value / unit->scale, digits, unit->symbol);
}

}  // namespace rackwright
