#pragma once

#include <string>

#include "scenarios/results/run_summary.h"

namespace rackwright::report {

/// "llama-3.1-8b: prefill takes 31 requests/s, decode 55, transfer 2.1 k at full load; prefill binds".
std::string rate_match_text(const results::RateMatch& match);

/// "attention: at full load, 6,144 sequences in 3 micro-batches, a layer takes 281 µs of attention, …; attention binds".
std::string layer_sides_text(const results::LayerSides& sides);

}  // namespace rackwright::report
