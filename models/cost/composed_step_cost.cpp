#include "models/cost/composed_step_cost.h"

#include <algorithm>
#include <cmath>

#include "models/base/saturating.h"
#include "models/base/invariant.h"
#include "models/cost/layer_part.h"
#include "models/llm/operator_graph.h"

namespace rackwright::cost {
namespace {

int ceil_div(std::int64_t a, int b) { return static_cast<int>((a + b - 1) / b); }

/// Several tokens of one sequence read its KV once, like that many more query heads. Grouped queries stay bound by that
/// reading; only latent attention, with its hundreds of operations a byte, is priced with the heads.
llm::ShardedShape reading_kv_once(llm::ShardedShape sharded, int tokens) {
  for (llm::LayerShape& layer : sharded.layers)
    if (layer.attention.kind == llm::AttentionKind::latent) layer.attention.query_heads *= tokens;
  return sharded;
}

/// Seconds of computing at SM clock `clock` with a share of the SMs.
double computing_seconds(const StepParts& parts, double clock_and_share) { return parts.sm_clock_s / clock_and_share + parts.memory_s; }

/// Seconds on the device, where what two halves of a batch hide from each other is on this line.
double device_seconds(const StepParts& parts, double clock_and_share, const TurnLine& line = {}) {
  return line.slope * computing_seconds(parts, clock_and_share) + (parts.link_s + line.constant_s);
}

/// Seconds in which both halves wait for communication.
double waiting_seconds(const Work& work, double clock_and_share) {
  const double computing_s = computing_seconds(work.parts, clock_and_share);
  const TurnLine line = turn_line(work.turns, computing_s, clock_and_share);
  return std::max(0.0, line.constant_s + (line.slope - 1) * computing_s);
}

/// Shares out what a step grows by as its seconds at full clock grow.
void share_growth(const std::array<double, provenance_count>& grown, double growth_s, StepCost& cost) {
  double all_s = 0;
  for (const double one : grown) all_s += one;
  for (std::size_t i = 0; i < grown.size() && all_s > 0; ++i) cost.provenance_growth_s[i] = static_cast<float>(growth_s * grown[i] / all_s);
}

}  // namespace

ComposedStepCost::ComposedStepCost(const llm::ShardedShape& sharded, std::shared_ptr<const OperatorCostModel> operators,
                                   const ExecutionSpec& execution, const power::DevicePower& power)
    : sharded_(sharded), operators_(std::move(operators)), execution_(execution), power_(power) {
  const auto largest = [](const std::vector<int>& sizes) { return sizes.empty() ? 0 : sizes.back(); };
  const int each = execution_.tokens_per_decode;
  const int most_tokens = std::max({execution_.max_tokens, execution_.max_sequences * each, largest(execution_.decode_sizes) * each,
                                    largest(execution_.mixed_sizes),
                                    largest(execution_.mixed_decode_sizes) * each + largest(execution_.mixed_prefill_sizes)});
  const int most_rows = std::max(execution_.max_sequences, largest(execution_.decode_sizes) + largest(execution_.mixed_decode_sizes)) * each +
                        execution_.max_sequences;
  token_work_.emplace_back();
  for (int tokens = 1; tokens <= most_tokens; ++tokens)
    token_work_.push_back(price_tokens(tokens));
  if (sharded_.parallelism.context > 1)
    for (int sequences = 0; sequences <= execution_.max_sequences; ++sequences) decode_exchange_.push_back(decode_exchange(*operators_, sharded_, sequences));
  row_work_.emplace_back();
  for (int rows = 1; rows <= most_rows; ++rows) row_work_.push_back(sum_of(llm::row_operators(sharded_, rows), *operators_, execution_.part));
  if (execution_.part == LayerPart::feed_forward) return;
  decode_ = decode_tables(reading_kv_once(sharded_, each), *operators_, ceil_div(execution_.max_sequences, sharded_.parallelism.data));
  for (const llm::LayerShape& layer : sharded_.layers) mixed_.push_back(llm::decode_attention(sharded_, layer, 1, 1));
  const bool is_mixed = std::ranges::all_of(mixed_, [&](const llm::Operator& op) { return operators_->has_mixed_attention(op); });
  if (!is_mixed || sharded_.parallelism.context > 1) mixed_.clear();
  needs_contexts_ = std::ranges::any_of(decode_, [](const DecodeTable& table) { return table.attention().window_tokens > 0; });
}

ComposedStepCost::Padded ComposedStepCost::pad(const StepShape& step) const {
  std::int64_t prefill = 0;
  std::int64_t last = 0;
  for (const PrefillChunk& chunk : step.prefill) {
    prefill += chunk.new_tokens;
    last += chunk.last ? 1 : 0;
  }
  const std::int64_t each = execution_.tokens_per_decode;
  const std::int64_t decodes = step.decode_sequences * each;
  Padded result{.tokens = decodes + prefill, .rows = decodes + last};
  result.mode = step.prefill.empty() ? execution_.decode : execution_.prefill;
  if (result.mode == ExecutionMode::eager) return result;

  const auto fits = [&](std::int64_t tokens, std::int64_t rows) {
    if (tokens == 0) result.mode = ExecutionMode::eager;  // Larger than every captured graph.
    else result.tokens = tokens;
    if (tokens != 0 && execution_.lm_head == LmHeadRows::padded) result.rows = rows + last;
  };
  const auto size = [](const std::vector<int>& sizes, std::int64_t n) -> std::int64_t {
    return sizes.empty() ? n : padded(sizes, static_cast<int>(n));
  };
  if (step.prefill.empty()) {
    const std::int64_t tokens = size(execution_.decode_sizes, step.decode_sequences) * each;
    fits(tokens, tokens);
  } else if (!execution_.mixed_decode_sizes.empty() && !execution_.mixed_prefill_sizes.empty()) {
    const int decode_size = decodes == 0 ? 0 : padded(execution_.mixed_decode_sizes, step.decode_sequences) * execution_.tokens_per_decode;
    const int prefill_size = padded(execution_.mixed_prefill_sizes, static_cast<int>(prefill));
    const bool fit = prefill_size > 0 && (decodes == 0 || decode_size > 0);
    fits(fit ? decode_size + prefill_size : 0, decode_size);
  } else {
    fits(size(execution_.mixed_sizes, result.tokens), decodes);
  }
  return result;
}

Work ComposedStepCost::price_tokens(std::int64_t tokens) const {
  if (execution_.part == LayerPart::all && execution_.collectives.any())
    return overlapped_token_work(sharded_, tokens, *operators_, execution_.collectives);
  return sum_of(llm::token_operators(sharded_, tokens), *operators_, execution_.part);
}

// A policy without a token budget can form steps beyond the tables: those are priced operator by operator.
Work ComposedStepCost::token_work(std::int64_t tokens) const {
  if (static_cast<std::size_t>(tokens) < token_work_.size()) return token_work_[static_cast<std::size_t>(tokens)];
  return price_tokens(tokens);
}

Work ComposedStepCost::row_work(std::int64_t rows) const {
  if (static_cast<std::size_t>(rows) < row_work_.size()) return row_work_[static_cast<std::size_t>(rows)];
  return sum_of(llm::row_operators(sharded_, rows), *operators_, execution_.part);
}

bool ComposedStepCost::is_halved(const StepShape& step) const {
  if (execution_.part != LayerPart::all || !execution_.collectives.halves_batch()) return false;
  std::int64_t tokens = std::int64_t{step.decode_sequences} * execution_.tokens_per_decode;
  for (const PrefillChunk& chunk : step.prefill) tokens += chunk.new_tokens;
  return tokens > 1;
}

StepCost ComposedStepCost::price(const StepShape& step, const OperatingPoint& asked) const {
  const Padded shape = pad(step);
  OperatingPoint at = asked;
  if (is_halved(step)) at.sm_share *= 1 - execution_.collectives.sm_share;
  DecodeStretch stretch;
  stretch.zero = token_work(shape.tokens);
  stretch.zero += row_work(shape.rows);
  if (step.prefill.empty()) {
    stretch.steps = DecodeStretch::longest;
    if (step.decode_sequences > 0 && execution_.part != LayerPart::feed_forward) add_decode(step, stretch);
  } else if (execution_.part != LayerPart::feed_forward) {
    add_prefill(step, stretch.zero);
  }
  return settle(stretch, shape.mode, at);
}

void ComposedStepCost::add_decode(const StepShape& step, DecodeStretch& stretch) const {
  DecodeShare share{.sequences = ceil_div(step.decode_sequences, sharded_.parallelism.data), .context = sharded_.parallelism.context};
  if (is_halved(step) && share.sequences > 1) share = {.sequences = ceil_div(share.sequences, 2), .times = 2, .context = share.context};
  add_decode_attention(decode_, step, share, operators_->uneven_share(), stretch);
  if (!decode_exchange_.empty()) stretch.zero += decode_exchange_[static_cast<std::size_t>(step.decode_sequences)];
}

void ComposedStepCost::add_prefill(const StepShape& step, Work& work) const {
  if (!mixed_.empty()) {
    add_mixed_attention(step, work);
    return;
  }
  if (step.decode_sequences > 0) {
    DecodeStretch decode;
    add_decode(step, decode);
    work += decode.zero;
    work.add_scaled(decode.growth, static_cast<double>(decode.age));
  }
  Work prompts;
  double longest_s = 0;
  for (const PrefillChunk& chunk : step.prefill) {
    double chunk_s = 0;
    for (const llm::LayerShape& layer : sharded_.layers) {
      const OperatorCost cost = prefill_cost(layer, chunk);
      const int layers = layer.count * sharded_.model.repeats;
      prompts.add(cost, layers, 1);
      chunk_s += layers * cost.seconds();
    }
    longest_s = std::max(longest_s, chunk_s);
  }
  // Data ranks share the prompts, but no prompt is split between them.
  const double all_s = device_seconds(prompts.parts, 1);
  const double share = all_s > 0 ? std::max(1.0 / sharded_.parallelism.data, longest_s / all_s) : 1;
  work.add_scaled(prompts, std::min(share, 1.0));
}

OperatorCost ComposedStepCost::prefill_cost(const llm::LayerShape& layer, const PrefillChunk& chunk) const {
  return shared_prefill_attention(*operators_, sharded_, layer, chunk.new_tokens, chunk.past_tokens, execution_.context_exchange);
}

void ComposedStepCost::add_mixed_attention(const StepShape& step, Work& work) const {
  const int data = sharded_.parallelism.data;
  const MixedAttention load{step.prefill, static_cast<double>(ceil_div(step.decode_sequences, data)),
                            static_cast<double>(step.decode_context_tokens) / data, static_cast<double>(step.decode_context_max)};
  for (const llm::Operator& layer : mixed_) work.add(operators_->mixed_attention(layer, load), layer.count, 1);
}

power::StepActivity ComposedStepCost::activity(const Work& work, const OperatingPoint& at) const {
  const double clock_bound_s = work.parts.sm_clock_s / at.sm_share;
  const double other_s = work.parts.memory_s + work.parts.link_s + waiting_seconds(work, at.sm_clock * at.sm_share);
  return {.clock_bound_s = clock_bound_s, .other_s = other_s, .active_s = work.active_s,
          .memory_s = work.memory_busy_s, .compute_s = work.compute_busy_s};
}

std::int64_t ComposedStepCost::power_mw(const Work& work, double host_s, const OperatingPoint& at) const {
  power::StepActivity step = activity(work, at);
  step.other_s += host_s;
  const llm::Parallelism& p = sharded_.parallelism;
  // A device works for its own stage only.
  const double above_idle_w = (power::step_power_w(power_, step, at.sm_clock) - power_.idle_w) / p.pipeline;
  return std::llround((power_.idle_w + above_idle_w) * 1e3 * llm::device_count(p));
}

StepCost ComposedStepCost::settle(const DecodeStretch& stretch, ExecutionMode mode, const OperatingPoint& at) const {
  const Work now = stretch.after(0);
  const double speed = at.sm_clock * at.sm_share;

  // What a step takes at least, and what the host adds to it.
  const bool serial = execution_.overlap == HostOverlap::serial;
  const double launches_s = mode == ExecutionMode::eager ? now.kernels * execution_.launch_s : 0;
  const double floor_s = std::max(launches_s, serial ? 0 : execution_.host_time_per_step_s);
  const double added_s = serial ? execution_.host_time_per_step_s : 0;

  StepCost cost;
  cost.steps = stretch.steps;
  const TurnLine line = turn_line(now.turns, computing_seconds(now.parts, speed), speed);
  const double device_s = device_seconds(now.parts, speed, line);
  const double growth_s = device_seconds(stretch.growth.parts, speed, {0, line.slope});
  if (std::isfinite(line.end_s))
    cost.steps = steps_until(line.end_s, computing_seconds(now.parts, speed), computing_seconds(stretch.growth.parts, speed), cost.steps);
  if (device_s < floor_s) {
    cost.duration = sim_time(floor_s + added_s);
    cost.steps = steps_until(floor_s, device_s, growth_s, cost.steps);
  } else {
    cost.growth = sim_time(std::max(growth_s, 0.0));
    cost.duration = saturating_sum(sim_time(device_seconds(stretch.zero.parts, speed, line) + added_s), saturating_product(cost.growth, stretch.age));
  }
  cost.duration = std::max(cost.duration, SimTime{1});

  cost.parts = now.parts;
  cost.parts.sm_clock_s /= speed;
  const double waiting_s = waiting_seconds(now, speed);
  cost.parts.link_s += waiting_s;
  cost.parts.host_s = std::max(cost.duration.seconds() - device_s, 0.0);
  cost.power_mw = power_mw(now, cost.parts.host_s, at);

  std::array<double, provenance_count> seconds = now.seconds;
  if (waiting_s > 0)
    for (std::size_t i = 0; i < seconds.size(); ++i)
      seconds[i] += waiting_s * (now.turns.first_exchange[i] + now.turns.second_exchange[i]) / now.turns.exchange_s();
  double total_s = cost.parts.host_s;
  for (const double one : seconds) total_s += one;
  for (std::size_t i = 0; i < seconds.size(); ++i) cost.provenance[i] = static_cast<float>(seconds[i] / total_s);
  const auto host = static_cast<std::size_t>(execution_.host_provenance);
  cost.provenance[host] += static_cast<float>(cost.parts.host_s / total_s);

  // What the device computes longer, less what its halves wait; below the floor the host has that much less to add.
  const bool at_floor = device_s < floor_s;
  const double waits_less_s = device_seconds(stretch.growth.parts, speed) - growth_s;
  share_growth(stretch.growth.seconds, (at_floor ? growth_s : cost.growth.seconds()) + waits_less_s, cost);
  if (waiting_s > 0)
    for (std::size_t i = 0; i < seconds.size(); ++i)
      cost.provenance_growth_s[i] -= static_cast<float>(waits_less_s * (now.turns.first_exchange[i] + now.turns.second_exchange[i]) / now.turns.exchange_s());
  if (at_floor) cost.provenance_growth_s[host] -= static_cast<float>(growth_s);
  return cost;
}

std::int64_t ComposedStepCost::idle_power_mw() const {
  return std::llround(power_.idle_w * 1e3 * llm::device_count(sharded_.parallelism));
}

std::optional<power::ClockControl> ComposedStepCost::clock_control() const {
  return power::clock_control(power_, llm::device_count(sharded_.parallelism));
}

}  // namespace rackwright::cost
