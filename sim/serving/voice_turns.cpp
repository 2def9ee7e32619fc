#include "sim/serving/voice_turns.h"

#include <algorithm>
#include <utility>

#include "models/base/saturating.h"

namespace rackwright::serving {
namespace {

constexpr std::uint32_t entity = 0;

}  // namespace

VoiceTurns::VoiceTurns(engine::Engine& engine, const VoiceSpec& spec, std::deque<Station>& stations, VoiceTurnsOwner& owner)
    : engine_(engine), spec_(spec), stations_(stations), owner_(owner), recognition_draws_(spec.seed, "voice", "recognition"),
      synthesis_draws_(spec.seed, "voice", "synthesis") {}

void VoiceTurns::begin(traces::Request request, const ToolTimes& tools) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(turns_.size()));
    turns_.emplace_back();
  }
  const std::uint32_t at = free_.back();
  free_.pop_back();
  Turn& turn = turns_[at];
  turn = {};
  turn.request = std::move(request);
  turn.tools = tools;
  turn.times.start = engine_.now();
  ++outside_model_;
  if (spec_.network_delay.ps == 0) {
    recognise(at);
    return;
  }
  engine_.at(saturating_sum(engine_.now(), spec_.network_delay), engine::Phase::arrival, entity, *this, token(Step::speech_reaches_hall, at));
}

void VoiceTurns::recognise(std::uint32_t at) {
  Turn& turn = turns_[at];
  turn.text_at = engine_.now();
  if (!spec_.recognition) {
    give_text(at);
    return;
  }
  RandomStream draw = recognition_draws_.at(turn.request.id);
  const double latency_s = spec_.recognition->latency_s.at(draw.uniform());
  double speech_s = turn.request.speech.seconds();
  if (speech_s == 0 && !spec_.speech_s.empty()) speech_s = spec_.speech_s.at(draw.uniform());
  const double work_s = latency_s + spec_.recognition->real_time_factor * speech_s;
  stations_[static_cast<std::size_t>(spec_.recognition->station)].submit({1, 0, sim_time(work_s), this, token(Step::recognised, at)});
}

void VoiceTurns::give_text(std::uint32_t at) {
  Turn& turn = turns_[at];
  turn.times.recognition = engine_.now() - turn.text_at;
  turn.text_at = engine_.now();
  --outside_model_;
  owner_.on_text(turn.request, turn.tools, at);
}

void VoiceTurns::speak(std::uint32_t at, std::int32_t tokens) {
  Turn& turn = turns_[at];
  if (turn.first_sentence_at.ps < 0) turn.first_sentence_at = engine_.now();
  turn.sentences.push_back(tokens);
  if (!turn.is_making) make_sentence(at);
}

SimTime VoiceTurns::synthesis_latency(const Turn& turn) const {
  RandomStream draw = synthesis_draws_.at(turn.request.id, turn.sentences_made);
  return sim_time(spec_.synthesis.latency_s.at(draw.uniform()));
}

void VoiceTurns::make_sentence(std::uint32_t at) {
  Turn& turn = turns_[at];
  turn.is_making = true;
  const SimTime audio = audio_of(turn.sentences.front());
  const SimTime work = saturating_sum(synthesis_latency(turn), sim_time(spec_.synthesis.real_time_factor * audio.seconds()));
  stations_[static_cast<std::size_t>(spec_.synthesis.station)].submit({1, 0, work, this, token(Step::sentence_made, at)});
}

// The sentence at work has been made, from `started` until now.
void VoiceTurns::sound(Turn& turn, SimTime started) {
  const double speed = stations_[static_cast<std::size_t>(spec_.synthesis.station)].spec().speed;
  const SimTime ready = std::min(engine_.now(), started + sim_time(synthesis_latency(turn).seconds() / speed));
  SimTime begins = std::max(ready, turn.sounded_until);
  if (turn.sentences_made == 0) {
    begins = ready;
    turn.times.synthesis = ready - turn.first_sentence_at;
    turn.times.network = 2 * spec_.network_delay;
    turn.times.first_audio = saturating_sum(ready, spec_.network_delay);
  } else {
    turn.times.longest_gap = std::max(turn.times.longest_gap, begins - turn.sounded_until);
  }
  turn.sounded_until = std::max(saturating_sum(begins, audio_of(turn.sentences.front())), engine_.now());
  ++turn.sentences_made;
  turn.sentences.pop_front();
}

void VoiceTurns::complete(std::uint32_t at, const results::RequestOutcome& outcome) {
  turns_[at].outcome = outcome;
  turns_[at].is_complete = true;
  ++outside_model_;
  end_if_over(at);
}

void VoiceTurns::drop(std::uint32_t at) {
  turns_[at].is_dropped = true;
  turns_[at].sentences.resize(turns_[at].is_making ? 1 : 0);
  if (!turns_[at].is_making) free_.push_back(at);
}

void VoiceTurns::end_if_over(std::uint32_t at) {
  Turn& turn = turns_[at];
  if (!turn.is_complete || turn.is_making) return;
  turn.times.end = saturating_sum(turn.sounded_until, spec_.network_delay);
  engine_.at(std::max(turn.times.end, engine_.now()), engine::Phase::arrival, entity, *this, token(Step::answer_ends, at));
}

void VoiceTurns::on_event(std::uint64_t token) {
  const auto at = static_cast<std::uint32_t>(token);
  if (static_cast<Step>(token >> 32) == Step::speech_reaches_hall) {
    recognise(at);
    return;
  }
  --outside_model_;
  results::RequestOutcome outcome = turns_[at].outcome;
  outcome.turn = turns_[at].times;
  free_.push_back(at);
  owner_.on_turn_ended(outcome);
}

void VoiceTurns::on_job_ended(std::uint64_t token, SimTime, SimTime started) {
  const auto at = static_cast<std::uint32_t>(token);
  if (static_cast<Step>(token >> 32) == Step::recognised) {
    give_text(at);
    return;
  }
  Turn& turn = turns_[at];
  sound(turn, started);
  turn.is_making = false;
  if (turn.is_dropped) free_.push_back(at);
  else if (!turn.sentences.empty()) make_sentence(at);
  else end_if_over(at);
}

}  // namespace rackwright::serving
