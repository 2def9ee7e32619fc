#pragma once

#include "sim/serving/scheduler.h"

namespace rackwright::policies {

/// Preempts running sequences, the latest first, until each decode in order of arrival finds a free block before it takes
/// what it needs: a decode asks for one free block even while its last block has room (vLLM v0 `can_append_slots`, Vidur).
/// Limits the plan to the steps for which this will still hold. True when it preempted.
bool preempt_until_decodes_have_a_block(serving::Scheduler& scheduler);

/// The KV tokens of a request when its last token is emitted, whose own KV is never computed.
inline std::int64_t tokens_at_end(const serving::Sequence& sequence) {
  return std::int64_t{sequence.input_tokens} + sequence.output_tokens - 1;
}

}  // namespace rackwright::policies
