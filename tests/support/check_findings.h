#pragma once

#include <string>
#include <vector>

#include "scenarios/catalog/catalog.h"
#include "scenarios/check/checked_scenario.h"

namespace rackwright::test {

/// Every finding of a scenario, a line each.
inline std::string findings(const std::vector<scenarios::Setting>& settings, const std::string& text) {
  const scenarios::Catalog catalog;
  const scenarios::CheckedScenario scenario = scenarios::check_scenario("s.yaml", text, settings, catalog);
  std::string lines;
  for (const Diagnostic& finding : scenario.diagnostics.all()) lines += to_string(finding) + '\n';
  return lines;
}

inline bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace rackwright::test
