#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "traces/generators/generator.h"

namespace rackwright::traces {

/// A built-in workload: one file in workloads/ that defines such a constant, and one line in workloads.cpp.
struct Workload {
  std::string_view name;
  GeneratorSpec (*spec)();
};

/// Every built-in workload, with neither duration nor count set.
std::vector<GeneratorSpec> workloads();

std::optional<GeneratorSpec> find_workload(std::string_view name);

}  // namespace rackwright::traces
