#include "models/cost/speculative_step_cost.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "models/base/invariant.h"

namespace rackwright::cost {
namespace {

/// Joins `more` behind `cost`: one after the other on the same devices.
void append(StepCost& cost, const StepCost& more, std::int64_t times) {
  const double before_s = cost.duration.seconds();
  const double added_s = more.duration.seconds() * static_cast<double>(times);
  const double energy_mj = static_cast<double>(cost.power_mw) * before_s + static_cast<double>(more.power_mw) * added_s;
  const double share = added_s / (before_s + added_s);
  cost.duration += more.duration * times;
  cost.power_mw = std::llround(energy_mj / (before_s + added_s));
  const auto n = static_cast<double>(times);
  cost.parts.sm_clock_s += n * more.parts.sm_clock_s;
  cost.parts.memory_s += n * more.parts.memory_s;
  cost.parts.link_s += n * more.parts.link_s;
  cost.parts.host_s += n * more.parts.host_s;
  for (std::size_t i = 0; i < cost.provenance.size(); ++i)
    cost.provenance[i] = static_cast<float>((1 - share) * cost.provenance[i] + share * more.provenance[i]);
}

StepShape decodes_of(const StepShape& step) {
  StepShape decodes = step;
  decodes.prefill = {};
  return decodes;
}

}  // namespace

SpeculativeStepCost::SpeculativeStepCost(std::shared_ptr<const StepCostModel> verify, std::shared_ptr<const StepCostModel> draft,
                                         int drafted_tokens, const DraftLink* link)
    : verify_(std::move(verify)), draft_(std::move(draft)), drafted_tokens_(drafted_tokens), is_elsewhere_(link != nullptr) {
  invariant(drafted_tokens_ >= 1 && (link == nullptr || draft_ != nullptr), "a draft elsewhere is a model");
  if (link != nullptr) link_ = *link;
}

bool SpeculativeStepCost::needs_contexts() const { return verify_->needs_contexts() || (draft_ && draft_->needs_contexts()); }

StepCost SpeculativeStepCost::price(const StepShape& step, const OperatingPoint& at) const {
  StepShape verified = step;
  verified.decode_context_tokens += std::int64_t{drafted_tokens_} * step.decode_sequences;
  if (step.decode_sequences > 0) verified.decode_context_max += drafted_tokens_;
  StepCost cost = verify_->price(verified, at);
  cost.steps = 1;  // Who accepts how much differs from step to step.
  cost.growth = {};
  cost.provenance_growth_s = {};
  if (draft_ == nullptr) return cost;
  const StepCost draft = draft_steps(step, at);
  return is_elsewhere_ ? elsewhere(step, cost, draft) : on_same_devices(cost, draft);
}

StepCost SpeculativeStepCost::draft_steps(const StepShape& step, const OperatingPoint& at) const {
  // A device elsewhere has its own clock.
  const OperatingPoint point = is_elsewhere_ ? OperatingPoint{} : at;
  StepCost drafted = draft_->price(step, point);
  if (step.decode_sequences > 0 && drafted_tokens_ > 1) append(drafted, draft_->price(decodes_of(step), point), drafted_tokens_ - 1);
  return drafted;
}

StepCost SpeculativeStepCost::on_same_devices(const StepCost& verify, const StepCost& draft) const {
  StepCost cost = verify;
  append(cost, draft, 1);
  return cost;
}

SimTime SpeculativeStepCost::redone(const StepShape& step) const {
  if (link_.mode == DraftLink::Mode::serial || step.decode_sequences == 0) return {};
  const double all_of_one = std::pow(link_.mean_acceptance, drafted_tokens_);
  const double all_of_all = std::pow(all_of_one, step.decode_sequences);
  const auto sequences = std::max<std::int64_t>(1, std::llround((1 - all_of_one) * step.decode_sequences));
  StepShape again = decodes_of(step);
  again.decode_sequences = static_cast<std::int32_t>(sequences);
  again.decode_context_tokens = step.decode_context_tokens * sequences / step.decode_sequences;
  again.decode_contexts = step.decode_contexts.first(std::min(step.decode_contexts.size(), static_cast<std::size_t>(sequences)));
  return sim_time((1 - all_of_all) * drafted_tokens_ * draft_->price(again, {}).duration.seconds());
}

StepCost SpeculativeStepCost::elsewhere(const StepShape& step, const StepCost& verify, const StepCost& draft) const {
  const double sent = static_cast<double>(step.decode_sequences) * drafted_tokens_ * link_.bytes_per_token;
  const SimTime link = sim_time(link_.latency_s + sent / link_.bytes_per_s);
  const SimTime redo = redone(step);
  const SimTime duration = link_.mode == DraftLink::Mode::serial ? draft.duration + 2 * link + verify.duration
                                                                 : std::max(draft.duration, verify.duration) + link + redo;
  StepCost cost = verify;
  cost.duration = duration;
  // The target's devices wait for the draft.
  const double busy = verify.duration.seconds() / duration.seconds();
  cost.power_mw = std::llround(busy * static_cast<double>(verify.power_mw) + (1 - busy) * static_cast<double>(verify_->idle_power_mw()));
  const double waits_s = (duration - verify.duration).seconds();
  const double link_s = std::min(waits_s, (2 * link).seconds());
  cost.parts.link_s += link_s;
  cost.parts.host_s += waits_s - link_s;
  for (std::size_t i = 0; i < cost.provenance.size(); ++i)
    cost.provenance[i] = static_cast<float>(busy * verify.provenance[i] + (1 - busy) * draft.provenance[i]);
  cost.partner = {std::min(draft.duration + redo, duration), draft.power_mw};
  return cost;
}

}  // namespace rackwright::cost
