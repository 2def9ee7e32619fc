#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rackwright {

/// One way to write a quantity: "GB/s" is 1e9 of the dimension "B/s".
/// Kept value = written · scale. Temperatures are kept in degC, differences of them in K.
struct Unit {
  std::string_view symbol;
  std::string_view dimension;  ///< The symbol of the unit in which the value is kept.
  double scale = 1;
};

/// The unit with this symbol, or null. Symbols are exact: "Gb/s" and "GB/s" differ.
/// A rate of anything may be written "/s", "/min", "/h".
const Unit* find_unit(std::string_view symbol);

/// Every unit of a dimension, smallest first. Empty when there is no such dimension.
std::vector<const Unit*> units_of(std::string_view dimension);

/// What was wrong with a written quantity.
struct QuantityError {
  std::string message;
  std::string hint;
};

/// Reads "4.8 TB/s", "35 degC", "8 /s", "1.5e3 W", "132kW" into the SI base unit of `dimension`
/// ("B/s", "degC", "1/s", "W"). A dimension of "" takes a bare number only. `_` and `,` between
/// digits are not accepted. Returns nothing and fills `error` when the text does not fit.
std::optional<double> parse_quantity(std::string_view text, std::string_view dimension, QuantityError& error);

/// The shortest text that reads back to the same value, with the unit that gives 1 ≤ |x| < 1000
/// where one does: 4.8e12 of "B/s" is "4.8 TB/s".
std::string format_quantity(double value, std::string_view dimension);

/// The same, rounded to `digits` significant digits, for people.
std::string format_quantity(double value, std::string_view dimension, int digits);

}  // namespace rackwright
