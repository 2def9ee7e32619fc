#pragma once

#include <vector>

#include "models/cost/operator_cost.h"
#include "models/llm/operator.h"
#include "models/llm/sharding.h"

namespace rackwright::cost {

/// What hides a collective.
enum class Overlap {
  none,   ///< Nothing: it runs when its input is there, and what follows waits for it.
  layer,  ///< The other half of the batch: two halves take turns, one computes while the other communicates (two-batch overlap).
  tile,   ///< The product that makes its input (or uses its output): tiles are sent as they are done, in one kernel.
};

/// Which collectives of a step are hidden by what, and what that costs.
struct OverlapSpec {
  Overlap attention = Overlap::none;     ///< All-reduce after the attention's output projection.
  Overlap feed_forward = Overlap::none;  ///< All-reduce after the feed-forward's down projection.
  Overlap experts = Overlap::none;       ///< Dispatch before the experts' first product, combine after their last.
  /// Tile level: of each kernel, beside the longest of compute, memory and communication. 64 ns within an SM, 832 ns between
  /// SMs through device memory (ParallelKittens, arXiv:2511.13940).
  double sync_s = 0.832e-6;
  double non_overlapped_s = 0;
  /// Share of the SMs that only communicate: beside the product at tile level, where 0 means that its threads send the tiles
  /// themselves, and all along at layer level.
  double sm_share = 0;
  /// Tile level: tiles go straight to the peers' memory at this rate of one device, without a buffer between; 0: they take
  /// as long as the collective alone. In the fabric, switches sum what passes them.
  double direct_bytes_per_s = 0;
  bool in_fabric_reduction = false;

  bool any() const { return attention != Overlap::none || feed_forward != Overlap::none || experts != Overlap::none; }
  bool halves_batch() const { return attention == Overlap::layer || feed_forward == Overlap::layer || experts == Overlap::layer; }
};

/// One kernel that computes and communicates: T = launch + max(compute, memory, communication) + non-overlapped + sync
/// (ParallelKittens, section 3; its launch is the product's own).
struct TileTimes {
  double launch_s = 0;
  double compute_s = 0;
  double memory_s = 0;
  double link_s = 0;
};
double tile_seconds(const TileTimes& times, double non_overlapped_s, double sync_s);

/// Depth K of a product whose M x N result is reduce-scattered, from which on the communication hides behind it:
/// 2 M N K / R >= s M N / B, K = s R / (2 B). Bytes of an element, FLOP/s, and bytes per second of one device.
double hiding_depth(double element_bytes, double flop_per_s, double link_bytes_per_s);

/// Bytes that one device sends of a collective when tiles go straight to their place.
double direct_bytes(const llm::Operator& collective, bool in_fabric_reduction);

/// The work of a step's operators that go with its tokens, with their collectives hidden as asked: link time is what stays
/// exposed. Layer level: both halves cost what half the tokens cost, twice; they take turns, but for the last collective,
/// which nothing follows. Not modelled at tile level: a lower SM clock that lets compute hide more.
Work overlapped_token_work(const llm::ShardedShape& sharded, std::int64_t tokens, const OperatorCostModel& model, const OverlapSpec& overlap);

}  // namespace rackwright::cost
