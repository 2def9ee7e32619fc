#pragma once

#include <string>
#include <vector>

#include "scenarios/check/checked_scenario.h"
#include "scenarios/results/run_summary.h"

namespace rackwright::test {

/// One of two runs that are held against each other.
struct SignSide {
  std::string name;
  std::string scenario;  ///< Below scenarios/library.
  std::vector<scenarios::Setting> settings;
};

/// What publications say in words or for other machines: which of two ways wins. The sign is the check, not the figures.
struct PublishedSign {
  std::string claim;
  std::string source;
  std::string unit;
  double (*figure)(const results::RunSummary&) = nullptr;
  enum class Better { lower, higher };
  Better better = Better::lower;
  SignSide wins;
  SignSide loses;
};

const std::vector<PublishedSign>& published_signs();

/// The figures of both sides, that which is said to win first.
struct SignFigures {
  double wins = 0;
  double loses = 0;
};
SignFigures simulated(const PublishedSign& sign);
bool holds(const PublishedSign& sign, const SignFigures& figures);

/// The signs as they stand in docs/validation.md.
std::string signs_section();

}  // namespace rackwright::test
