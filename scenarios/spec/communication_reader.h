#pragma once

#include <optional>
#include <string>

#include "models/cost/collective_cost.h"
#include "models/cost/context_parallel.h"
#include "models/cost/overlap.h"

namespace rackwright::v1 {
class Communication;
class ContextParallel;
class Execution;
}

namespace rackwright::scenarios {

class Findings;

/// How tiles reach the peers' memory.
enum class TileTransfers { direct, staged };

/// How the devices of one instance communicate within a step.
struct CommunicationSpec {
  cost::OverlapSpec overlap;  ///< Without the rate of direct transfers, which is the device's.
  std::optional<cost::AllReduce> all_reduce;  ///< Nothing: the engine's, else the best known.
  double all_reduce_limit_bytes = 0;          ///< Of kernels over peers' memory.
  TileTransfers transfers = TileTransfers::direct;
  int sms = 0;  ///< That only communicate.
};

cost::ContextExchange context_exchange(const v1::ContextParallel& written);

CommunicationSpec communication_spec(const v1::Communication& written, const v1::Execution& execution, const std::string& path,
                                     Findings& findings);

}  // namespace rackwright::scenarios
