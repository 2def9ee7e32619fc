#include "sim/run/rate_match.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <span>

#include "models/cost/attention_ffn_step_cost.h"

namespace rackwright::run {
namespace {

using scenarios::PoolPlan;
using scenarios::PoolRole;
using scenarios::PoolSpec;

double prefill_step_s(const PoolPlan& plan, std::span<const cost::PrefillChunk> chunks) {
  cost::StepShape shape;
  shape.prefill = chunks;
  return plan.cost->price(shape, {}).duration.seconds();
}

/// Prompts a second of one instance, which each hold it up for a while longer.
double prefill_rate(const PoolSpec& pool, const PoolPlan& plan, double input, double held_s) {
  const int length = std::max(1, static_cast<int>(std::lround(input)));
  const int budget = std::max(1, pool.scheduler.token_budget);
  if (length <= budget) {
    const std::vector<cost::PrefillChunk> prompts(static_cast<std::size_t>(budget / length), {length, 0, true});
    return 1 / (prefill_step_s(plan, prompts) / static_cast<double>(prompts.size()) + held_s);
  }
  double seconds = 0;
  for (int past = 0; past < length; past += budget) {
    const cost::PrefillChunk chunk{std::min(budget, length - past), past, past + budget >= length};
    seconds += prefill_step_s(plan, {&chunk, 1});
  }
  return 1 / (seconds + held_s);
}

/// For how long the copies of one request hold up a prefill pool of this model.
double copies_hold_s(const scenarios::ScenarioSpec& scenario, const std::string& model) {
  double held_s = 0;
  for (const PoolSpec& pool : scenario.pools)
    if (pool.receives_kv && pool.model_name == model)
      held_s = std::max(held_s, pool.kv_transfer.copies * pool.kv_transfer.wait_per_copy_s);
  return held_s;
}

/// Decodes of one context each.
class EvenBatch {
 public:
  EvenBatch(int sequences, double context) : contexts_(static_cast<std::size_t>(sequences), static_cast<std::int32_t>(std::lround(context))) {}

  cost::StepShape shape() const {
    cost::StepShape shape;
    shape.decode_sequences = static_cast<std::int32_t>(contexts_.size());
    shape.decode_context_max = contexts_.empty() ? 0 : contexts_.front();
    shape.decode_context_tokens = std::int64_t{shape.decode_context_max} * shape.decode_sequences;
    shape.decode_contexts = contexts_;
    return shape;
  }

 private:
  std::vector<std::int32_t> contexts_;
};

double decode_step_s(const PoolPlan& plan, int batch, double context) {
  return plan.cost->price(EvenBatch(batch, context).shape(), {}).duration.seconds();
}

double mean_context(const MeanLengths& lengths) { return lengths.input + lengths.output / 2; }

/// Sequences that one instance holds and still answers within the limit; 0 when not even one meets it.
int full_batch(const PoolSpec& pool, const PoolPlan& plan, const MeanLengths& lengths, double tpot_limit_s) {
  const double context = mean_context(lengths);
  const std::int64_t blocks = plan.kv_layout.blocks_for(std::llround(std::ceil(context)));
  int holds = static_cast<int>(std::min<std::int64_t>(pool.scheduler.max_sequences, plan.kv_blocks / std::max<std::int64_t>(blocks, 1)));
  int too_many = std::max(holds, 1) + 1;
  holds = 0;
  while (holds + 1 < too_many) {
    const int middle = holds + (too_many - holds) / 2;
    (decode_step_s(plan, middle, context) <= tpot_limit_s ? holds : too_many) = middle;
  }
  return holds;
}

/// Requests a second of one instance.
double decode_rate(const PoolSpec& pool, const PoolPlan& plan, const MeanLengths& lengths, double tpot_limit_s) {
  const int batch = full_batch(pool, plan, lengths, tpot_limit_s);
  const double steps = std::max(lengths.output - 1, 1e-9);
  return batch == 0 ? 0 : batch / (steps * decode_step_s(plan, batch, mean_context(lengths)));
}

double tightest_tpot_s(const scenarios::ScenarioSpec& scenario) {
  double limit = std::numeric_limits<double>::infinity();
  for (const results::RequestClass& one : scenario.classes)
    for (const results::SloTarget& target : one.targets)
      if (target.metric == results::LatencyMetric::tpot) limit = std::min(limit, target.limit.seconds());
  return limit;
}

}  // namespace

MeanLengths mean_lengths(traces::RequestSource& requests, int most) {
  MeanLengths sum;
  traces::Request request;
  int count = 0;
  for (; count < most && requests.next(request); ++count) {
    sum.input += request.input_tokens;
    sum.output += request.output_tokens;
  }
  return count == 0 ? sum : MeanLengths{sum.input / count, sum.output / count};
}

std::vector<results::RateMatch> rate_matches(const scenarios::ScenarioSpec& scenario, const std::vector<PoolPlan>& plans,
                                             const MeanLengths& lengths) {
  std::vector<results::RateMatch> matches;
  if (lengths.input <= 0) return matches;
  const double tpot_limit_s = tightest_tpot_s(scenario);
  for (std::size_t i = 0; i < scenario.pools.size(); ++i) {
    const PoolSpec& pool = scenario.pools[i];
    if (pool.role != PoolRole::prefill && !pool.receives_kv) continue;
    auto match = std::ranges::find(matches, pool.model_name, &results::RateMatch::name);
    if (match == matches.end()) match = matches.insert(matches.end(), {pool.model_name});
    const double ports = plans[i].kv_bytes_per_s * pool.instances;
    if (pool.role == PoolRole::prefill) {
      match->prefill_requests_per_s += pool.instances * prefill_rate(pool, plans[i], lengths.input, copies_hold_s(scenario, pool.model_name));
      match->sends_bytes_per_s += ports;
    } else {
      match->decode_requests_per_s += pool.instances * decode_rate(pool, plans[i], lengths, tpot_limit_s);
      match->receives_bytes_per_s += ports;
      match->kv_bytes_per_request = std::max(match->kv_bytes_per_request, plans[i].kv_bytes.of(lengths.input));
    }
  }
  return matches;
}

std::vector<results::LayerSides> layer_sides(const scenarios::ScenarioSpec& scenario, const std::vector<PoolPlan>& plans,
                                             const MeanLengths& lengths) {
  std::vector<results::LayerSides> all;
  if (lengths.input <= 0) return all;
  for (std::size_t i = 0; i < scenario.pools.size(); ++i) {
    const PoolSpec& pool = scenario.pools[i];
    const auto cost = std::dynamic_pointer_cast<const cost::AttentionFfnStepCost>(plans[i].cost);
    const int batch = cost ? full_batch(pool, plans[i], lengths, tightest_tpot_s(scenario)) : 0;
    if (batch == 0) continue;
    const cost::AttentionFfnStepCost::Exchange step = cost->exchange_of(EvenBatch(batch, mean_context(lengths)).shape());
    const double layers_ps = 1e12 * llm::layer_count(pool.model);
    all.push_back({.name = pool.name,
                   .sequences = static_cast<double>(batch),
                   .micro_batches = static_cast<double>(pool.side.micro_batches),
                   .attention_s = step.attention_ps / layers_ps,
                   .feed_forward_s = step.ffn_ps / layers_ps,
                   .send_s = step.send_ps * 1e-12,
                   .return_s = step.return_ps * 1e-12});
  }
  return all;
}

void add_balances(const scenarios::ScenarioSpec& scenario, const std::vector<scenarios::PoolPlan>& plans, results::RunSummary& summary) {
  if (summary.requests_per_s <= 0) return;
  const MeanLengths lengths{summary.input_tokens_per_s / summary.requests_per_s, summary.output_tokens_per_s / summary.requests_per_s};
  summary.rate_match = rate_matches(scenario, plans, lengths);
  summary.layer_sides = layer_sides(scenario, plans, lengths);
}

}  // namespace rackwright::run
