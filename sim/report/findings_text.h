#pragma once

#include <string>
#include <vector>

#include "scenarios/results/run_summary.h"

namespace rackwright::report {

/// "chat: 171 tokens/s with 1 sequence in a step, 40,000 with 256; the host binds up to 56, memory beyond".
/// Empty for a pool that decoded nothing.
std::string decode_text(const results::PoolSummary& pool);

/// What decides about a run, a sentence each: what binds, where the time went, what quality cost.
std::vector<std::string> findings(const results::RunDescription& run, const results::RunSummary& summary);

}  // namespace rackwright::report
