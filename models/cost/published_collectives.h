#pragma once

#include <array>
#include <span>
#include <string_view>

#include "models/cost/collective_fit.h"
#include "models/llm/operator.h"

namespace rackwright::cost {

/// Times that others published of NCCL on one machine: the three rows to which a fit is made. All others of the same
/// series are what it is checked against (tests/differential).
struct PublishedCollective {
  std::string_view link;  ///< As scale_up_spec names it.
  llm::OperatorKind kind = llm::OperatorKind::all_reduce;
  int ranks = 0;
  double link_bytes_per_s = 0;  ///< Of one device, per direction.
  std::array<SizedTime, 3> rows;
};

/// AIConfigurator's NCCL tests on 2 to 8 H100 (nvlink4), 8 A100 (nvlink3), 8 B200 (nvlink5) and 2 L40S (pcie4); elements of two
/// bytes, the rows that calibration_rows() chooses.
std::span<const PublishedCollective> published_collectives();

}  // namespace rackwright::cost
