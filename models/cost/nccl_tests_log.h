#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "models/base/diagnostic.h"
#include "models/cost/collective_fit.h"

namespace rackwright::cost {

/// Timed collectives of one operation over one set of ranks.
struct CollectiveSeries {
  std::string op;
  int ranks = 0;
  int nodes = 1;
  std::vector<SizedTime> rows;

  CollectiveSpan span() const { return nodes > 1 ? CollectiveSpan::nodes : CollectiveSpan::domain; }
};

/// Whether a text is what nccl-tests or rccl-tests print.
bool is_nccl_tests_log(std::string_view text);

/// Every table of such a log: lines may carry a prefix of mpirun ("[1,0]<stdout>:") or of a scheduler ("node: "), columns
/// changed over the versions, buffers of no bytes are left out. Times are those in place, as engines mostly run them; out of
/// place where the operation has no others. Ranks and nodes are those that the log lists above the table; without
/// a list the ratio of the two bandwidths says how many ranks there were, and a node has eight. The operation is the program
/// that it names, or what that ratio says. Lines that are no rows are passed over; a
/// log without a row is an error.
std::vector<CollectiveSeries> read_nccl_tests_log(const std::string& file, std::string_view text, Diagnostics& diagnostics);

}  // namespace rackwright::cost
