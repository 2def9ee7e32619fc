#pragma once

#include <string>
#include <vector>

#include "tests/differential/row_use.h"

namespace rackwright::test {

struct NetworkRow {
  std::string label;       ///< "128 MiB", "EP 64".
  double measured_us = 0;
  double modelled_us = 0;
  RowUse use = RowUse::check;

  double error() const { return modelled_us / measured_us - 1; }
};

/// Published or measured times of one operation on one machine.
struct NetworkSeries {
  std::string title;
  std::string source;
  std::string method;        ///< Which model, and what was fitted.
  double median_bound = 0;   ///< Of |error| over the check rows.
  double worst_bound = 0;
  std::vector<NetworkRow> rows;

  double median() const;
  double worst() const;
};

/// "128 MiB".
std::string size_label(double bytes);

/// Everything that the models of collectives, exchanges, transfers and overlap are held to.
std::vector<NetworkSeries> network_series();

/// The same as a section of docs/validation.md.
std::string network_section();

}  // namespace rackwright::test
