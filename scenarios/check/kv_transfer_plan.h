#pragma once

#include <vector>

#include "scenarios/check/pool_plan.h"
#include "scenarios/spec/scenario_spec.h"

namespace rackwright::scenarios {

/// Fills in how fast the instances of pools send and receive KV, and how much of it.
///
/// Resharding: each device of the receiver gets the KV heads that it computes with, from whichever device of the sender
/// has them. Where the receiver splits a layer over more devices than it has KV heads, each head goes to several of them
/// and the bytes multiply (Qwen3-235B, 4 heads on 8 devices: twice 192,512 B a token).
void plan_kv_transfers(const ScenarioSpec& scenario, const FabricPlan* fabric, std::vector<PoolPlan>& plans);

}  // namespace rackwright::scenarios
