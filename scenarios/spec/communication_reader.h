#pragma once

#include "models/cost/collective_cost.h"
#include "models/cost/context_parallel.h"
#include "models/cost/overlap.h"

namespace rackwright::v1 {
class Communication;
class ContextParallel;
}

namespace rackwright::scenarios {

/// How tiles reach the peers' memory.
enum class TileTransfers { direct, staged };

/// How the devices of one instance communicate within a step.
struct CommunicationSpec {
  cost::OverlapSpec overlap;  ///< Without the rate of direct transfers, which is the device's.
  cost::AllReduce all_reduce = cost::AllReduce::peer_memory;
  TileTransfers transfers = TileTransfers::direct;
  int sms = 0;  ///< That only communicate.
};

cost::ContextExchange context_exchange(const v1::ContextParallel& written);

CommunicationSpec communication_spec(const v1::Communication& written);

}  // namespace rackwright::scenarios
