#pragma once

#include "models/cost/collective_cost.h"

namespace rackwright::cost {

/// One collective of a group that fills several scale-up domains, each with network cards of its own, by NCCL's tuning
/// constants (src/graph/tuning.cc, 2026-06): the fastest of
///
///   ring       through all ranks, a ring for each card:  t = base + (steps − net steps) · hop + net steps · net hop
///              + max(2 (n−1)/n S / bus inside, 2 (n−1)/n S / d / card);   half of that for all-gather and reduce-scatter
///   tree       of an all-reduce, over domains, a chain inside each:  t = base + 2 ((d−1) hop + log2(k) net hop) + the ring's bytes
///   sums       of an all-reduce where switches sum, inside a domain (NVLS), between domains (SHARP), or both:
///              t = base + inside + 2 log2(k) · NVLS net hop + max(S / in-fabric rate, 2 (k−1)/k S / d / card); SHARP: two net hops, and
///              S / d through a card each way
///
/// for n = k · d ranks in k domains of d, under the protocols LL, LL128 and Simple. A broadcast or send passes each cable
/// once. Not in it: NCCL's corrections by size, chunks, and what the network itself blocks, which flows see.
double node_collective_seconds(const ScaleUpSpec& scale_up, const llm::Operator& op);

/// Bytes that the cards of one domain send to the next one, in the way that long buffers take.
double node_collective_bytes(const ScaleUpSpec& scale_up, const llm::Operator& op);

/// Whether its ranks are more than one domain holds.
inline bool leaves_domain(const ScaleUpSpec& scale_up, const llm::Operator& op) {
  return scale_up.domain_ranks > 0 && op.ranks > scale_up.domain_ranks;
}

}  // namespace rackwright::cost
