#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/diagnostic.h"
#include "topologies/graph/topology.h"

namespace rackwright::topologies {

/// One number that a topology is built from, in the SI base unit of `unit`.
struct FabricParameter {
  std::string name;   ///< "hosts".
  std::string unit;   ///< "B/s", "s"; "" for a plain number, which is whole unless `value` is not.
  double value = 0;   ///< Default.
  std::string help;
};

/// Values by the names of an entry's parameters.
using FabricValues = std::map<std::string, double, std::less<>>;

/// A topology that can be built from a few numbers, or a machine that exists, with the figures of its struct as defaults.
struct FabricEntry {
  std::string name;
  std::string title;
  std::vector<FabricParameter> parameters;
  /// Adds what is wrong with the values to the diagnostics, at the parameters' names.
  std::function<std::optional<Topology>(const FabricValues& values, Diagnostics& diagnostics)> build;
};

/// In the order in which they are listed.
std::span<const FabricEntry> fabric_catalog();
const FabricEntry* find_fabric(std::string_view name);

/// The entry's defaults with `given` in their place. Names that the entry does not have are errors.
std::optional<Topology> build_fabric(const FabricEntry& entry, const FabricValues& given, Diagnostics& diagnostics);

}  // namespace rackwright::topologies
