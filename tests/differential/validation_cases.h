#pragma once

#include <string>
#include <vector>

namespace rackwright::test {

/// A figure of a real run beside the simulated one.
struct ValidationFigure {
  std::string name;       ///< "TTFT mean".
  double measured = 0;
  double simulated = 0;
  std::string unit;       ///< "ms", "kJ".
  double bound = 0;       ///< Error recorded when the case was last approved, rounded up; a larger one fails.

  double error() const { return simulated / measured - 1; }
};

struct ValidationCase {
  std::string title;
  std::string scenario;    ///< Below the repository's root.
  std::string data;        ///< What it needs under RACKWRIGHT_DATA.
  std::string settings;    ///< Which parameters were set, and from what.
  std::vector<double> bounds;  ///< Of TTFT mean, TPOT mean, E2E mean, TPOT p99 and, where it was metered, energy.
  double measured_energy_j = 0;  ///< 0 where the run did not meter it.
};

/// Every real serving run that simulated runs are held to.
const std::vector<ValidationCase>& validation_cases();

/// Runs the case and sets each request's simulated times beside the logged ones.
std::vector<ValidationFigure> validate(const ValidationCase& one);

}  // namespace rackwright::test
