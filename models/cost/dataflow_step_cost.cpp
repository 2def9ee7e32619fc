#include "models/base/saturating.h"
#include "models/cost/dataflow_step_cost.h"

#include <algorithm>
#include <cmath>

#include "models/cost/layer_part.h"
#include "models/llm/operator_graph.h"

namespace rackwright::cost {
namespace {

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

double seconds(const Work& work, double clock = 1) { return work.parts.sm_clock_s / clock + work.parts.memory_s + work.parts.link_s; }

Work scaled(const Work& work, double factor) {
  Work result;
  result.add_scaled(work, factor);
  return result;
}

}  // namespace

DataflowStepCost::DataflowStepCost(const llm::ShardedShape& whole, const DataflowPlan& plan,
                                   std::shared_ptr<const DataflowOperatorCost> operators,
                                   std::shared_ptr<const DataflowOperatorCost> prompt_operators, const DataflowLimits& limits)
    : whole_(whole), plan_(plan), operators_(std::move(operators)), prompt_operators_(std::move(prompt_operators)), limits_(limits),
      slowest_(plan.slowest_stage()) {
  const auto handovers = [&](double tokens) {
    OperatorCost cost;
    cost.parts.link_s = operators_->handover_seconds(tokens);
    cost.provenance = operators_->provenance();
    return cost;
  };
  const bool whole_layers = limits_.part != LayerPart::feed_forward;
  const auto most = static_cast<int>(whole_layers ? ceil_div(limits_.max_sequences, plan_.stages) : limits_.max_sequences);
  decode_work_.emplace_back();
  for (int sequences = 1; sequences <= most; ++sequences) {
    Work work = sum_of(llm::token_operators(whole_, sequences), *operators_, limits_.part);
    work += sum_of(llm::row_operators(whole_, sequences), *operators_, limits_.part);
    if (whole_layers) work.add(handovers(sequences), plan_.handovers(), 0);
    decode_work_.push_back(work);
  }
  for (int tokens = 1; tokens <= plan_.beat_tokens; tokens *= 2) {
    Work work = sum_of(llm::token_operators(whole_, tokens), *operators_, limits_.part);
    if (whole_layers) work.add(handovers(tokens), plan_.handovers(), 0);
    prompt_work_.push_back(work);
  }
  if (!whole_layers) return;
  sampled_row_ = sum_of(llm::row_operators(whole_, 1), *operators_, limits_.part);
  decode_ = decode_tables(whole_, *operators_, most);
  needs_contexts_ = std::ranges::any_of(decode_, [](const DecodeTable& table) { return table.attention().window_tokens > 0; });
}

StepCost DataflowStepCost::price(const StepShape& step, const OperatingPoint& at) const {
  DecodeStretch decode;
  std::int64_t beats = 0;
  if (step.decode_sequences > 0) {
    const bool one_beat = limits_.part == LayerPart::feed_forward;
    const std::int64_t each = one_beat ? step.decode_sequences : ceil_div(step.decode_sequences, plan_.stages);
    beats = ceil_div(step.decode_sequences, each);
    decode = decode_pass(step, each, beats);
  }
  if (step.prefill.empty()) return rotation(decode, static_cast<double>(beats), at);
  const Beats decodes{static_cast<double>(beats), decode.after(0)};
  if (plan_.prompt_region_side > 0) return with_prompts_between(decodes, prompts_on_region(step), at);
  return with_prompts(decodes, prompt_beats(step, decodes.count * slowest_ * seconds(decodes.pass)), at);
}

DecodeStretch DataflowStepCost::decode_pass(const StepShape& step, std::int64_t sequences_per_beat, std::int64_t beats) const {
  DecodeStretch stretch;
  stretch.steps = DecodeStretch::longest;
  stretch.zero = decode_work_[static_cast<std::size_t>(sequences_per_beat)];
  if (limits_.part == LayerPart::feed_forward) return stretch;
  add_decode_attention(decode_, step, {.sequences = static_cast<int>(sequences_per_beat)}, 0, stretch);
  add_off_chip(step, beats, stretch);
  return stretch;
}

// KV that weights and activations leave no room for lies off chip. Of the tokens that all sequences attend to, those beyond
// the chips' are read from there, shared by the beats.
void DataflowStepCost::add_off_chip(const StepShape& step, std::int64_t beats, DecodeStretch& stretch) const {
  if (plan_.weights == WeightTier::off_chip || plan_.kv_off_chip_bytes <= 0) return;
  const double held = plan_.kv_on_chip_bytes / plan_.kv_bytes_per_token;
  const std::int64_t tokens = step.decode_context_tokens;
  const std::int64_t growth = step.decode_sequences;
  if (static_cast<double>(tokens) <= held) {
    stretch.steps = steps_until(held, static_cast<double>(tokens), static_cast<double>(growth), stretch.steps);
    return;
  }
  const auto read = [&](double tokens_read) {
    return operators_->off_chip_seconds(tokens_read * plan_.kv_bytes_per_token / static_cast<double>(beats));
  };
  const auto provenance = static_cast<std::size_t>(operators_->provenance());
  const double zero_s = read(static_cast<double>(tokens - stretch.age * growth) - held);
  const double growth_s = read(static_cast<double>(growth));
  stretch.zero.parts.memory_s += zero_s;
  stretch.zero.seconds[provenance] += zero_s;
  stretch.growth.parts.memory_s += growth_s;
  stretch.growth.seconds[provenance] += growth_s;
}

// Small beats fill the pipeline sooner, large ones read weights and meet less often.
DataflowStepCost::Beats DataflowStepCost::prompt_beats(const StepShape& step, double decode_s) const {
  Work attention;
  double last_rows = 0;
  for (const PrefillChunk& chunk : step.prefill) {
    if (limits_.part == LayerPart::feed_forward) continue;
    last_rows += chunk.last ? 1 : 0;
    for (const llm::LayerShape& layer : whole_.layers) {
      const llm::Operator op = llm::prefill_attention(whole_, layer, chunk.new_tokens, chunk.past_tokens);
      attention.add(operators_->cost(op), op.count, 0);
    }
  }
  attention.add_scaled(sampled_row_, last_rows);
  Beats best;
  double best_s = 0;
  for (std::size_t i = 0; i < prompt_work_.size(); ++i) {
    Beats beats{0, prompt_work_[i]};
    for (const PrefillChunk& chunk : step.prefill) beats.count += static_cast<double>(ceil_div(chunk.new_tokens, std::int64_t{1} << i));
    beats.pass.add_scaled(attention, 1 / beats.count);
    const double pass_s = seconds(beats.pass);
    const double end_s = std::max(pass_s * (1 + (beats.count - 1) * slowest_), decode_s + beats.count * slowest_ * pass_s);
    if (best.count > 0 && end_s >= best_s) continue;
    best = beats;
    best_s = end_s;
  }
  return best;
}

Work DataflowStepCost::prompts_on_region(const StepShape& step) const {
  Work work;
  for (const PrefillChunk& chunk : step.prefill) {
    work += sum_of(llm::token_operators(whole_, chunk.new_tokens), *prompt_operators_, limits_.part);
    if (limits_.part == LayerPart::feed_forward) continue;
    for (const llm::LayerShape& layer : whole_.layers) {
      const llm::Operator op = llm::prefill_attention(whole_, layer, chunk.new_tokens, chunk.past_tokens);
      work.add(prompt_operators_->cost(op), op.count, 0);
    }
    if (chunk.last) work += sampled_row_;
  }
  return work;
}

StepCost DataflowStepCost::with_prompts_between(const Beats& decode, const Work& prompts, const OperatingPoint& at) const {
  Work work = scaled(decode.pass, decode.count > 0 ? std::max(1.0, decode.count * slowest_) : 0);
  work += prompts;
  StepCost cost;
  cost.duration = std::max(sim_time(seconds(work, at.sm_clock)), SimTime{1});
  finish(work, decode.count * seconds(decode.pass, at.sm_clock) + plan_.stages * seconds(prompts, at.sm_clock), cost, at);
  return cost;
}

StepCost DataflowStepCost::rotation(const DecodeStretch& decode, double decode_beats, const OperatingPoint& at) const {
  const double turns = std::max(1.0, decode_beats * slowest_);
  StepCost cost;
  cost.steps = decode.steps;
  cost.growth = sim_time(std::max(turns * seconds(decode.growth, at.sm_clock), 0.0));
  cost.duration = std::max(saturating_sum(sim_time(turns * seconds(decode.zero, at.sm_clock)), saturating_product(cost.growth, decode.age)), SimTime{1});
  const Work pass = decode.after(0);
  finish(scaled(pass, turns), decode_beats * seconds(pass, at.sm_clock), cost, at);
  cost.provenance_growth_s[static_cast<std::size_t>(operators_->provenance())] = static_cast<float>(cost.growth.seconds());
  return cost;
}

StepCost DataflowStepCost::with_prompts(const Beats& decode, const Beats& prompts, const OperatingPoint& at) const {
  Work through = scaled(prompts.pass, 1 + (prompts.count - 1) * slowest_);  // The last prompt beat has left.
  Work turn = scaled(decode.pass, decode.count * slowest_);                 // The slowest stage has seen all beats.
  turn.add_scaled(prompts.pass, prompts.count * slowest_);
  const Work* longest = &decode.pass;
  for (const Work* work : {&through, &turn}) {
    if (seconds(*work, at.sm_clock) > seconds(*longest, at.sm_clock)) longest = work;
  }
  StepCost cost;
  cost.duration = std::max(sim_time(seconds(*longest, at.sm_clock)), SimTime{1});
  finish(*longest, decode.count * seconds(decode.pass, at.sm_clock) + prompts.count * seconds(prompts.pass, at.sm_clock), cost, at);
  return cost;
}

/// `busy_s`: seconds of one stage after another that all beats take together.
void DataflowStepCost::finish(const Work& work, double busy_s, StepCost& cost, const OperatingPoint& at) const {
  const double whole_picoseconds = cost.duration.seconds() / seconds(work, at.sm_clock);
  cost.parts = {work.parts.sm_clock_s / at.sm_clock * whole_picoseconds, work.parts.memory_s * whole_picoseconds,
                work.parts.link_s * whole_picoseconds, 0};
  double total_s = 0;
  for (const double part : work.seconds) total_s += part;
  for (std::size_t i = 0; i < work.seconds.size() && total_s > 0; ++i) cost.provenance[i] = static_cast<float>(work.seconds[i] / total_s);
  const double busy = std::min(1.0, busy_s / (plan_.stages * cost.duration.seconds()));
  cost.power_mw = std::llround(1e3 * plan_.devices * (limits_.idle_w + busy * (limits_.limit_w - limits_.idle_w)));
}

std::int64_t DataflowStepCost::idle_power_mw() const { return std::llround(1e3 * plan_.devices * limits_.idle_w); }

}  // namespace rackwright::cost
