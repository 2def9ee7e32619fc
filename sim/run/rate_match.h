#pragma once

#include <vector>

#include "scenarios/check/pool_plan.h"
#include "scenarios/results/run_summary.h"
#include "scenarios/spec/scenario_spec.h"
#include "traces/records/request.h"

namespace rackwright::run {

/// Mean lengths of requests, in tokens.
struct MeanLengths {
  double input = 0;
  double output = 0;
};

/// Of the first `most` requests of a workload, which it uses up. Zeros when there are none.
MeanLengths mean_lengths(traces::RequestSource& requests, int most);

/// For every model with prefill and decode pools, how many requests of these lengths a second each side can take, and
/// the links between them:
///
///   prefill   prompts of mean length packed into steps of the token budget, one step after another, and the waits of
///             their copies, as if none passed under a step
///   decode    the batch that its memory and sequence limit hold, or a smaller one that still meets the tightest TPOT
///             objective, for output − 1 steps at the mean context
///   transfer  what the smaller side's ways in or out carry
///
/// An estimate at full load: no queueing, no spread of lengths, no cached prefixes. The run itself says what comes of it.
std::vector<results::RateMatch> rate_matches(const scenarios::ScenarioSpec& scenario, const std::vector<scenarios::PoolPlan>& plans,
                                             const MeanLengths& lengths);

/// For every attention pool that a feed-forward pool serves, what each side takes for a layer of a micro-batch, with the batch
/// that the rate of decodes above takes, at the mean context.
std::vector<results::LayerSides> layer_sides(const scenarios::ScenarioSpec& scenario, const std::vector<scenarios::PoolPlan>& plans,
                                             const MeanLengths& lengths);

/// Both of those, at the mean lengths of the requests that the run completed.
void add_balances(const scenarios::ScenarioSpec& scenario, const std::vector<scenarios::PoolPlan>& plans, results::RunSummary& summary);

}  // namespace rackwright::run
