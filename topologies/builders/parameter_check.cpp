#include "topologies/builders/parameter_check.h"

#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace rackwright::topologies {

namespace {
constexpr double most_vertices = 4e6;
}

std::string ParameterCheck::at(std::string_view field) const {
  if (path_.empty()) return std::string(field);
  return fmt::format("{}.{}", path_, field);
}

void ParameterCheck::at_least(std::string_view field, double value, double least) {
  if (!(value >= least) || !std::isfinite(value))
    diagnostics_.error({}, at(field), fmt::format("{} is too small", value), fmt::format("at least {}", least));
}

void ParameterCheck::positive(std::string_view field, double value) {
  if (!(value > 0) || !std::isfinite(value)) diagnostics_.error({}, at(field), fmt::format("{} is not above 0", value));
}

void ParameterCheck::holds(bool condition, std::string_view field, std::string message, std::string hint) {
  if (!condition) diagnostics_.error({}, at(field), std::move(message), std::move(hint));
}

void ParameterCheck::vertices(double count) {
  if (count > most_vertices)
    diagnostics_.error({}, path_, fmt::format("the topology would have {:.0f} vertices", count),
                       fmt::format("at most {:.0f}", most_vertices));
}

}  // namespace rackwright::topologies
