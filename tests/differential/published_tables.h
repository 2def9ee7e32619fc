#pragma once

#include <string>
#include <vector>

#include "scenarios/check/checked_scenario.h"
#include "scenarios/results/run_summary.h"
#include "tests/differential/row_use.h"

namespace rackwright::test {

/// A published figure and how the simulator comes to it.
struct PublishedRow {
  std::string name;
  double published = 0;
  RowUse use = RowUse::check;
  double bound = 0;  ///< Error recorded when the row was last approved, rounded up; a larger one fails.
  std::vector<scenarios::Setting> settings;  ///< What is changed in the table's scenario.
  double (*figure)(const results::RunSummary&) = nullptr;  ///< In the table's unit.
};

/// Figures that others published, beside those of one scenario under different settings.
struct PublishedTable {
  std::string title;
  std::string source;
  std::string scenario;  ///< Below the repository's root.
  std::string unit;
  std::vector<PublishedRow> rows;
};

const std::vector<PublishedTable>& published_tables();

/// The simulated figure of a row.
double simulated(const PublishedTable& table, const PublishedRow& row);

/// The tables as they stand in docs/validation.md.
std::string published_section();

}  // namespace rackwright::test
