#pragma once

#include <vector>

#include "scenarios/plots/plot.h"
#include "scenarios/results/run_summary.h"

namespace rackwright::plots {

/// Throughput of decode against the sequences in a step, all pools in one figure, and for each pool what its steps waited for.
/// None for a pool whose batch hardly varied: a curve needs three points.
std::vector<Plot> decode_plots(const results::RunDescription& run, const results::RunSummary& summary);

}  // namespace rackwright::plots
