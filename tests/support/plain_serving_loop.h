#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "models/base/time.h"
#include "models/cost/step_cost.h"
#include "traces/records/request.h"

namespace rackwright::test {

/// Vidur's rules of batching, as published with its run (data/oracles) and in its replica schedulers.
enum class PlainPolicy {
  sarathi,        ///< Decodes, partial prompts, new prompts; one token budget.
  prefill_first,  ///< Whole prompts, padded to the longest against the budget, else all decodes.
  orca,           ///< Whole prompts beside all decodes; each takes `reserve_blocks` when it is admitted.
  static_batch,   ///< FasterTransformer: the same, but nobody is admitted while others run.
};

enum class PlainRouting { round_robin, least_waiting };

struct PlainSetup {
  PlainPolicy policy = PlainPolicy::sarathi;
  PlainRouting routing = PlainRouting::round_robin;
  int replicas = 1;
  std::int64_t blocks = 0;
  std::int64_t watermark_blocks = 0;
  std::int32_t block_tokens = 16;
  std::int32_t token_budget = 0;
  std::int32_t max_sequences = 0;
  std::int64_t reserve_blocks = 0;
};

struct PlainTimes {
  SimTime scheduled;
  SimTime first_token;
  SimTime completed;
  int restarts = 0;
};

struct PlainResult {
  std::vector<PlainTimes> requests;  ///< By request, which must be in order of arrival.
  std::int64_t batches = 0;
};

/// Every batch planned from lists of requests and priced anew, on a heap of one event a batch and one an arrival: the
/// slow way, sharing nothing with the simulator but the cost model. Each request must fit.
PlainResult run_plain_loop(const PlainSetup& setup, const cost::StepCostModel& cost, const std::vector<traces::Request>& requests);

}  // namespace rackwright::test
