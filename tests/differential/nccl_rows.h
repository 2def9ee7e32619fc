#pragma once

#include <string>
#include <vector>

#include "models/cost/collective_fit.h"
#include "tests/differential/network_rows.h"

namespace rackwright::test {

/// Published times of NCCL's collectives, each series fitted to three of its rows.
std::vector<NetworkSeries> nccl_series();

/// A series between nodes under the two figures that all share, and under those that the others alone would have given.
struct LeftOut {
  std::string title;
  cost::NodeSwitch without;  ///< Chosen as cost::NodeSwitch says, on all series but this.
  NetworkSeries with_all;
  NetworkSeries left_out;
};
std::vector<LeftOut> left_out_series();

}  // namespace rackwright::test
