#pragma once

#include <string>
#include <vector>

#include "models/cost/collective_fit.h"
#include "models/llm/operator.h"

namespace rackwright::test {

/// Times of one collective that others published, by the size of a rank's whole buffer.
struct PublishedNccl {
  enum class Link { nvlink4, other };  ///< NVLink 4 joins H100 and H200 alike.

  const char* title;  ///< "8 H100, all-reduce".
  const char* source;
  cost::CollectiveSpan span;
  Link link;
  llm::OperatorKind kind;
  int ranks;
  std::vector<double> bytes;
  std::vector<double> us;
};

std::vector<PublishedNccl> published_nccl();

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
