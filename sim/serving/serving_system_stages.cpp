// What happens to a request beside the model: tools before it, speech around it, and tokens that others wait for.
#include <algorithm>
#include <limits>
#include <utility>

#include "sim/serving/serving_system.h"

namespace rackwright::serving {

void ServingSystem::make_stations() {
  std::uint32_t first_device = 0;
  const auto first_entity = static_cast<std::uint32_t>(instances_.size()) + 1;
  for (std::uint32_t i = 0; i < spec_.stations.size(); ++i) {
    stations_.emplace_back(engine_, spec_.stations[i], i, first_device, first_entity + i, observer_);
    first_device += static_cast<std::uint32_t>(spec_.stations[i].devices);
  }
  if (spec_.voice) turns_.emplace(engine_, *spec_.voice, stations_, static_cast<VoiceTurnsOwner&>(*this));
}

void ServingSystem::on_arrival(traces::Request& request) {
  if (request.tools.empty()) on_tools_ended(request, {});
  else tools_.begin(std::move(request));
}

void ServingSystem::on_tools_ended(traces::Request& request, const ToolTimes& times) {
  if (turns_) turns_->begin(std::move(request), times);
  else on_text(request, times, Sequence::none);
}

void ServingSystem::on_text(traces::Request& request, const ToolTimes& tools, std::uint32_t turn) {
  const SequenceId id = make_sequence(request);
  Sequence& sequence = pool_[id];
  sequence.tool_time = tools.work;
  sequence.tool_wait = tools.wait;
  sequence.turn = turn;
  admit(id, request);
}

/// The fewest tokens beyond `emitted` at which somebody wants to hear of it, or 0.
std::int32_t ServingSystem::next_milestone(const Sequence& sequence, std::int32_t emitted) const {
  std::int32_t next = std::numeric_limits<std::int32_t>::max();
  const auto consider = [&](std::int32_t tokens) {
    if (tokens > emitted) next = std::min(next, tokens);
  };
  if (sequence.samples != Sequence::none && sequence.sample == 0) consider(1);
  if (sequence.reasoning_tokens > 0) consider(sequence.reasoning_tokens + 1);
  if (sequence.turn != Sequence::none) consider(sequence.reasoning_tokens + sequence.spoken_tokens + spec_.voice->sentence_tokens);
  return next == std::numeric_limits<std::int32_t>::max() ? 0 : next;
}

void ServingSystem::on_milestone(SequenceId id) {
  Sequence& sequence = pool_[id];
  if (sequence.samples != Sequence::none && sequence.sample == 0 && !samples_[sequence.samples].to_start.empty())
    engine_.at(engine_.now(), engine::Phase::arrival, 0, *this, samples_token(sequence.samples));
  if (sequence.reasoning_tokens > 0 && sequence.emitted > sequence.reasoning_tokens && sequence.first_visible.ps < 0)
    sequence.first_visible = engine_.now();
  if (sequence.turn != Sequence::none) {
    const std::int32_t sentence = spec_.voice->sentence_tokens;
    while (sequence.emitted - sequence.reasoning_tokens - sequence.spoken_tokens >= sentence) speak(sequence, sentence);
  }
  sequence.milestone = next_milestone(sequence, sequence.emitted);
}

void ServingSystem::speak(Sequence& sequence, std::int32_t tokens) {
  sequence.spoken_tokens += tokens;
  turns_->speak(sequence.turn, tokens);
}

/// The answer is complete, but for speech: the request leaves when it has sounded. Others leave at once.
void ServingSystem::leave(const Sequence& sequence, const metrics::RequestOutcome& report) {
  if (sequence.turn != Sequence::none && report.outcome == metrics::Outcome::completed) {
    turns_->complete(sequence.turn, report);
    return;
  }
  if (sequence.turn != Sequence::none) turns_->drop(sequence.turn);
  let_go(report);
}

void ServingSystem::on_turn_ended(const results::RequestOutcome& outcome) { let_go(outcome); }

void ServingSystem::let_go(const metrics::RequestOutcome& report) {
  count_out(report);
  if (report.session != 0) intake_.on_left(report.id, report.outcome == metrics::Outcome::completed);
}

}  // namespace rackwright::serving
