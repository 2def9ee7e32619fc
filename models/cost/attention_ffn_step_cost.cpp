#include "models/cost/attention_ffn_step_cost.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "models/base/invariant.h"

namespace rackwright::cost {
namespace {

__extension__ using Wide = __int128;

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

double picoseconds(double seconds) { return seconds * 1e12; }

std::int64_t prompt_tokens(const StepShape& step) {
  std::int64_t tokens = 0;
  for (const PrefillChunk& chunk : step.prefill) tokens += chunk.new_tokens;
  return tokens;
}

/// Share of the prompts that the instance with most of them has, when no prompt is split.
double busiest_share(const StepShape& step, int instances) {
  std::int32_t longest = 0;
  for (const PrefillChunk& chunk : step.prefill) longest = std::max(longest, chunk.new_tokens);
  const auto prompts = static_cast<std::int64_t>(step.prefill.size());
  const double by_number = static_cast<double>(ceil_div(prompts, instances)) / static_cast<double>(prompts);
  return std::max(by_number, static_cast<double>(longest) / static_cast<double>(prompt_tokens(step)));
}

}  // namespace

AttentionFfnStepCost::AttentionFfnStepCost(std::shared_ptr<const StepCostModel> attention, std::shared_ptr<const StepCostModel> ffn,
                                           const AttentionFfnSpec& spec)
    : attention_(std::move(attention)), ffn_(std::move(ffn)), spec_(spec) {
  invariant(spec.layers >= 1 && spec.attention_instances >= 1 && spec.ffn_instances >= 1 && spec.ffn_groups >= 1 && spec.micro_batches >= 1 &&
                spec.expert_imbalance >= 1,
            "attention and feed-forward instances are counted from one");
}

StepCost AttentionFfnStepCost::price(const StepShape& step, const OperatingPoint& at) const {
  const Sides sides = this->sides(step, at);
  const Form now = form(sides, 0);

  // The kind of step changes at most where one side overtakes another, since only attention grows.
  std::int64_t steps = sides.steps;
  if (steps > 1 && form(sides, steps - 1) != now) {
    std::int64_t same = 0;
    std::int64_t other = steps - 1;
    while (same + 1 < other) {
      const std::int64_t middle = same + (other - same) / 2;
      (form(sides, middle) == now ? same : other) = middle;
    }
    steps = other;
  }

  StepCost cost;
  cost.steps = steps;
  cost.growth = {std::llround(now.attention * static_cast<double>(sides.attention_growth_ps))};
  const double zero_ps = now.attention * sides.attention_zero_ps + now.ffn * sides.ffn_ps + now.constant_ps;
  cost.duration = {std::max<std::int64_t>(1, std::llround(zero_ps) + sides.age * cost.growth.ps)};

  // Shares of the step in which either side works.
  const auto duration_ps = static_cast<double>(cost.duration.ps);
  const int m = spec_.micro_batches;
  const double attention_busy = std::min(1.0, m * sides.attention_ps(0) / duration_ps);
  const std::int64_t idle_mw = attention_->idle_power_mw();
  const auto above = [](std::int64_t power, std::int64_t idle) { return static_cast<double>(std::max<std::int64_t>(power - idle, 0)); };
  cost.power_mw = std::llround(spec_.attention_instances * (static_cast<double>(idle_mw) + above(sides.attention.power_mw, idle_mw) * attention_busy));
  if (spec_.roles == AttentionFfnSpec::Roles::serial) {
    cost.power_mw += std::llround(above(sides.ffn.power_mw, ffn_->idle_power_mw()) * std::min(1.0, m * sides.ffn_ps / duration_ps));
  } else {
    cost.partner.busy = {std::min(std::llround(m * sides.ffn_ps), static_cast<long long>(cost.duration.ps))};
    cost.partner.power_mw = spec_.ffn_groups * sides.ffn.power_mw;
  }

  const double both_ps = std::max(sides.attention_ps(0) + sides.ffn_ps, 1.0);
  const double link_s = std::min(now.constant_ps * 1e-12, cost.duration.seconds());
  const double scale = (cost.duration.seconds() - link_s) / (both_ps * 1e-12);
  // Steps with prompts are priced whole, of which one instance and micro-batch has its share.
  const double own = sides.attention_ps(0) / static_cast<double>(std::max<std::int64_t>(sides.attention.duration.ps, 1));
  for (double StepParts::*part : {&StepParts::sm_clock_s, &StepParts::memory_s, &StepParts::link_s, &StepParts::host_s})
    cost.parts.*part = scale * (own * sides.attention.parts.*part + sides.ffn.parts.*part);
  cost.parts.link_s += link_s;
  const double attention_share = sides.attention_ps(0) / both_ps;
  for (std::size_t i = 0; i < cost.provenance.size(); ++i)
    cost.provenance[i] = static_cast<float>(attention_share * sides.attention.provenance[i] + (1 - attention_share) * sides.ffn.provenance[i]);
  if (cost.growth.ps > 0)  // Of prompts and decodes together nothing grows.
    for (std::size_t i = 0; i < cost.provenance.size(); ++i)
      cost.provenance_growth_s[i] = static_cast<float>(now.attention * sides.attention.provenance_growth_s[i]);
  return cost;
}

std::optional<power::ClockControl> AttentionFfnStepCost::clock_control() const {
  std::optional<power::ClockControl> control = attention_->clock_control();
  if (control) {
    control->limit_mw *= spec_.attention_instances;
    control->idle_mw *= spec_.attention_instances;
  }
  return control;
}

AttentionFfnStepCost::Exchange AttentionFfnStepCost::exchange_of(const StepShape& step) const {
  const Sides sides = this->sides(step, {});
  return {sides.attention_ps(0), sides.ffn_ps, sides.send_ps, sides.return_ps};
}

SimTime AttentionFfnStepCost::delay(const Exchange& exchange, double send_times, double return_times) const {
  const double latency_ps = picoseconds(spec_.exchange.latency_s);
  const auto step_ps = [&](double send, double back) {
    Sides sides;
    sides.attention_zero_ps = exchange.attention_ps;
    sides.ffn_ps = exchange.ffn_ps;
    sides.send_ps = latency_ps + (exchange.send_ps - latency_ps) * send;
    sides.return_ps = latency_ps + (exchange.return_ps - latency_ps) * back;
    const Form form = this->form(sides, 0);
    return form.attention * exchange.attention_ps + form.ffn * exchange.ffn_ps + form.constant_ps;
  };
  return {std::llround(std::max(step_ps(send_times, return_times) - step_ps(1, 1), 0.0))};
}

AttentionFfnStepCost::Sides AttentionFfnStepCost::sides(const StepShape& step, const OperatingPoint& at) const {
  Sides sides;
  price_attention(step, at, sides);
  price_ffn(step, sides);
  price_exchange(static_cast<double>(step.decode_sequences + prompt_tokens(step)) / spec_.micro_batches, sides);
  return sides;
}

void AttentionFfnStepCost::price_attention(const StepShape& step, const OperatingPoint& at, Sides& sides) const {
  // A micro-batch of one instance: its context grows by one token a sequence and step, as that of all does.
  StepShape decodes = step;
  decodes.prefill = {};
  if (step.decode_sequences > 0) {
    const std::int64_t sequences = ceil_div(step.decode_sequences, std::int64_t{spec_.attention_instances} * spec_.micro_batches);
    decodes.decode_sequences = static_cast<std::int32_t>(sequences);
    decodes.decode_context_tokens =
        static_cast<std::int64_t>(Wide{step.decode_context_tokens} * sequences / step.decode_sequences) + straggling_tokens(step, sequences);
    decodes.decode_contexts = step.decode_contexts.first(std::min(step.decode_contexts.size(), static_cast<std::size_t>(sequences)));
  }
  if (step.prefill.empty()) {
    sides.attention = attention_->price(decodes, at);
    sides.age = step.decode_sequences > 0 ? decodes.decode_context_tokens / decodes.decode_sequences : 0;
    sides.attention_growth_ps = sides.attention.growth.ps;
    sides.attention_zero_ps = static_cast<double>(sides.attention.duration.ps - sides.age * sides.attention.growth.ps);
    sides.steps = sides.attention.steps;
    return;
  }
  sides.attention = attention_->price(step, at);
  double all_ps = static_cast<double>(sides.attention.duration.ps);
  if (spec_.attention_instances > 1 || spec_.micro_batches > 1) {
    double own_ps = 0;
    if (step.decode_sequences > 0) {
      StepShape all_decodes = step;
      all_decodes.prefill = {};
      own_ps = static_cast<double>(attention_->price(decodes, at).duration.ps);
      all_ps -= static_cast<double>(attention_->price(all_decodes, at).duration.ps);
    }
    all_ps = own_ps + std::max(all_ps, 0.0) * busiest_share(step, spec_.attention_instances) / spec_.micro_batches;
  }
  sides.attention_zero_ps = all_ps;
}

void AttentionFfnStepCost::price_ffn(const StepShape& step, Sides& sides) const {
  StepShape shape = step;
  const double share = spec_.expert_imbalance / (spec_.ffn_groups * spec_.micro_batches);
  std::array<PrefillChunk, 1> prompts{};
  if (share != 1) {
    shape.decode_sequences = static_cast<std::int32_t>(std::ceil(step.decode_sequences * share));
    shape.decode_context_tokens = shape.decode_context_max = shape.decode_sequences;
    shape.decode_contexts = {};
    if (!step.prefill.empty()) {
      prompts[0] = {static_cast<std::int32_t>(std::ceil(static_cast<double>(prompt_tokens(step)) * share)), 0, true};
      shape.prefill = prompts;
    }
  }
  sides.ffn = ffn_->price(shape, {});
  sides.ffn_ps = static_cast<double>(sides.ffn.duration.ps);
  if (step.prefill.empty()) sides.steps = std::min(sides.steps, sides.ffn.steps);
}

void AttentionFfnStepCost::price_exchange(double tokens, Sides& sides) const {
  if (spec_.roles == AttentionFfnSpec::Roles::serial) return;
  const LayerExchange& e = spec_.exchange;
  const double s_per_byte = std::max(1 / (spec_.attention_instances * e.attention_bytes_per_s), 1 / (spec_.ffn_instances * e.ffn_bytes_per_s));
  sides.send_ps = picoseconds(e.latency_s + tokens * e.send_bytes_per_token * s_per_byte);
  sides.return_ps = picoseconds(e.latency_s + tokens * e.return_bytes_per_token * s_per_byte);
}

// In integers, n Σx² − (Σx)² is the same at every age of a batch.
std::int64_t AttentionFfnStepCost::straggling_tokens(const StepShape& step, std::int64_t sequences) const {
  const auto n = static_cast<std::int64_t>(step.decode_contexts.size());
  if (spec_.attention_instances == 1 || n < 2) return 0;
  Wide sum = 0;
  Wide squares = 0;
  for (const std::int32_t context : step.decode_contexts) {
    sum += context;
    squares += Wide{context} * context;
  }
  const double sigma = std::sqrt(static_cast<double>(n * squares - sum * sum)) / static_cast<double>(n);
  return std::llround(sigma * std::sqrt(static_cast<double>(sequences) * 2 * std::log(spec_.attention_instances)));
}

AttentionFfnStepCost::Form AttentionFfnStepCost::form(const Sides& sides, std::int64_t step) const {
  const double layers = spec_.layers;
  const double m = spec_.micro_batches;
  const bool host_adds = spec_.overlap == HostOverlap::serial;
  Form form;
  if (spec_.roles == AttentionFfnSpec::Roles::serial) {
    form = {m, m, 0};
  } else {
    const double attention_ps = sides.attention_ps(step) / layers;
    const double ffn_ps = sides.ffn_ps / layers;
    const double links_ps = std::max(sides.send_ps, sides.return_ps);
    const double slowest_ps = std::max({attention_ps, ffn_ps, links_ps});
    const double exchange_ps = sides.send_ps + sides.return_ps;
    const bool is_full = m * slowest_ps >= attention_ps + ffn_ps + exchange_ps;
    // R, once or for every layer, and the slowest for the rest; both sides' times are of all layers.
    const double rounds = is_full ? 1 : layers;
    const double others = is_full ? m * layers - 1 : m - 1;
    form = {rounds / layers, rounds / layers, rounds * exchange_ps};
    if (slowest_ps == attention_ps) form.attention += others / layers;
    else if (slowest_ps == ffn_ps) form.ffn += others / layers;
    else form.constant_ps += others * links_ps;
  }
  const double host_ps = picoseconds(spec_.host_time_per_step_s);
  if (host_adds) form.constant_ps += host_ps;
  else if (form.attention * sides.attention_ps(step) + form.ffn * sides.ffn_ps + form.constant_ps < host_ps) form = {0, 0, host_ps};
  return form;
}

}  // namespace rackwright::cost
