#include "sim/serving/decode_forecast.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <vector>

#include "models/cost/step_cost.h"
#include "sim/serving/instance_group.h"

namespace rackwright::serving {
namespace {

SimTime step_time(const cost::StepCostModel& cost, std::int32_t sequences, double context) {
  cost::StepShape shape;
  const auto tokens = static_cast<std::int32_t>(std::lround(context));
  const std::vector<std::int32_t> contexts(static_cast<std::size_t>(sequences), tokens);
  shape.decode_sequences = sequences;
  shape.decode_context_tokens = std::int64_t{tokens} * sequences;
  shape.decode_context_max = tokens;
  shape.decode_contexts = contexts;
  return cost.price(shape, {}).duration;
}

}  // namespace

void DecodeForecast::prompt_begins(const Sequence& sequence) {
  ++prompts_;
  const double tokens = sequence.input_tokens + sequence.answer_tokens / 2.0;
  mean_tokens_ += (tokens - mean_tokens_) / static_cast<double>(++seen_);
}

void DecodeForecast::decode_ends(SequenceId id, SimTime began, SimTime now, Left how) {
  if (decoding_.erase({began, id}) == 0 || how != Left::completed) return;
  mean_decode_s_ += ((now - began).seconds() - mean_decode_s_) / static_cast<double>(++completed_);
}

std::int64_t DecodeForecast::decoding_at(SimTime time, SimTime now) const {
  const auto all = static_cast<std::int64_t>(decoding_.size());
  if (completed_ == 0 || time <= now) return all;
  const auto after = [&](SimTime end) { return decoding_.upper_bound({end - sim_time(mean_decode_s_), std::numeric_limits<SequenceId>::max()}); };
  return all - std::distance(after(now), after(time));
}

bool DecodeForecast::keeps(DecodeLoad rule, SimTime limit, SimTime now, SimTime prompt_done, const InstanceGroup& decoders) const {
  if (rule == DecodeLoad::ignore || limit == SimTime::max() || decoders.size() == 0) return true;
  const std::int64_t others =
      rule == DecodeLoad::current ? static_cast<std::int64_t>(decoding_.size()) : decoding_at(prompt_done, now) + prompts_;
  const std::int64_t each = others / decoders.size() + 1;
  const InstanceSpec& spec = decoders[0].spec();
  // More than an instance runs at once wait instead.
  const auto sequences = static_cast<std::int32_t>(std::min<std::int64_t>(each, spec.policy->max_running()));
  return step_time(*spec.cost, sequences, std::max(mean_tokens_, 1.0)) <= limit;
}

}  // namespace rackwright::serving
