#include "scenarios/spec/communication_reader.h"

#include "scenarios/schema/communication.pb.h"
#include "scenarios/schema/deployment.pb.h"
#include "scenarios/schema/effective.h"
#include "scenarios/schema/parallelism.pb.h"
#include "scenarios/spec/findings.h"

namespace rackwright::scenarios {
namespace {

cost::Overlap overlap(v1::OverlapLevel level) {
  if (level == v1::OVERLAP_LEVEL_TILE) return cost::Overlap::tile;
  return level == v1::OVERLAP_LEVEL_LAYER ? cost::Overlap::layer : cost::Overlap::none;
}

}  // namespace

cost::ContextExchange context_exchange(const v1::ContextParallel& written) {
  const auto exchange = effective_choice<v1::ContextExchange>(written, v1::ContextParallel::kExchangeFieldNumber);
  return exchange == v1::CONTEXT_EXCHANGE_ALL_GATHER ? cost::ContextExchange::all_gather : cost::ContextExchange::ring;
}

CommunicationSpec communication_spec(const v1::Communication& written, const v1::Execution& execution, const std::string& path,
                                     Findings& findings) {
  using Field = v1::Communication;
  const auto all = effective_choice<v1::OverlapLevel>(written, Field::kOverlapFieldNumber);
  CommunicationSpec spec;
  spec.overlap.attention = overlap(written.has_attention() ? written.attention() : all);
  spec.overlap.feed_forward = overlap(written.has_feed_forward() ? written.feed_forward() : all);
  spec.overlap.experts = overlap(written.has_experts() ? written.experts() : all);
  spec.overlap.sync_s = effective_quantity(written, Field::kSynchronizationFieldNumber);
  spec.overlap.non_overlapped_s = effective_quantity(written, Field::kNonOverlappedFieldNumber);
  spec.sms = static_cast<int>(effective_count(written, Field::kSmsFieldNumber));
  if (written.has_all_reduce())
    spec.all_reduce = written.all_reduce() == v1::ALL_REDUCE_KERNELS_NCCL ? cost::AllReduce::nccl : cost::AllReduce::peer_memory;
  else if (execution.has_engine())
    spec.all_reduce = cost::AllReduce::peer_memory;
  if (written.has_all_reduce_limit() && spec.all_reduce != cost::AllReduce::peer_memory)
    findings.warning(path + ".all_reduce_limit", "no effect: " + path + ".all_reduce_limit, because nothing asks for peer-memory kernels",
                     "give all_reduce: peer-memory or an engine");
  spec.all_reduce_limit_bytes = effective_quantity(written, Field::kAllReduceLimitFieldNumber);
  if (effective_choice<v1::TileTransfers>(written, Field::kTransfersFieldNumber) == v1::TILE_TRANSFERS_STAGED)
    spec.transfers = TileTransfers::staged;
  return spec;
}

}  // namespace rackwright::scenarios
