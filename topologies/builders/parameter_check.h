#pragma once

#include <string>
#include <string_view>

#include "models/base/diagnostic.h"

namespace rackwright::topologies {

/// Collects what is wrong with one parameter struct. `path` is where it stands in the scenario.
class ParameterCheck {
 public:
  ParameterCheck(std::string_view path, Diagnostics& diagnostics) : path_(path), diagnostics_(diagnostics) {}

  void at_least(std::string_view field, double value, double least);
  void positive(std::string_view field, double value);  ///< Greater than 0 and finite.
  void holds(bool condition, std::string_view field, std::string message, std::string hint = {});
  /// A graph of more than four million vertices is a mistake in the parameters, not a datacenter.
  void vertices(double count);

 private:
  std::string at(std::string_view field) const;

  std::string path_;
  Diagnostics& diagnostics_;
};

}  // namespace rackwright::topologies
