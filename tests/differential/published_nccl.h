#pragma once

#include <string>
#include <vector>

#include "models/llm/operator.h"

namespace rackwright::test {

/// Times of one collective that others published, by the size of a rank's whole buffer.
struct PublishedNccl {
  std::string title;   ///< "8 H100, all-reduce".
  std::string source;
  bool nvlink4 = false;  ///< The link of an H100 and an H200.
  llm::OperatorKind kind = llm::OperatorKind::all_reduce;
  int ranks = 0;
  std::vector<double> bytes;
  std::vector<double> us;
  double median_bound = 0;  ///< Of |error| of a fit to three of the rows, over the others.
  double worst_bound = 0;
};

const std::vector<PublishedNccl>& published_nccl();

/// A bus bandwidth that others published of long messages: what each link carries.
struct PublishedBandwidth {
  std::string title;
  llm::OperatorKind kind = llm::OperatorKind::all_reduce;
  int ranks = 0;
  double bytes_per_s = 0;
};

/// Of H200, in a ring without sums in the switches.
const std::vector<PublishedBandwidth>& published_bus_bandwidths();

}  // namespace rackwright::test
