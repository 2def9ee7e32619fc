#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "models/base/random.h"
#include "scenarios/results/request_outcome.h"
#include "sim/engine/engine.h"
#include "sim/serving/station.h"
#include "sim/serving/tool_rounds.h"
#include "traces/generators/quantile_table.h"
#include "traces/records/request.h"

namespace rackwright::serving {

/// Speech around the model.
struct VoiceSpec {
  struct Stage {
    int station = 0;
    traces::QuantileTable latency_s;
    double real_time_factor = 0;
  };
  SimTime network_delay;             ///< One way, between the caller and the hall.
  std::optional<Stage> recognition;  ///< Latency from the end of speech; factor on the speech.
  traces::QuantileTable speech_s;    ///< Of users whose requests do not tell it; empty: nothing is left to compute then.
  Stage synthesis;                   ///< Latency of a sentence's first audio; factor on its audio.
  std::int32_t sentence_tokens = 1;
  SimTime token_audio;
  std::uint64_t seed = 0;            ///< Of the latencies.
};

class VoiceTurnsOwner {
 public:
  virtual ~VoiceTurnsOwner() = default;
  /// The text of a turn is there. The request's buffers may be taken.
  virtual void on_text(traces::Request& request, const ToolTimes& tools, std::uint32_t turn) = 0;
  /// The answer has sounded to its end; `outcome` has the turn.
  virtual void on_turn_ended(const results::RequestOutcome& outcome) = 0;
};

/// Spoken turns, before and after the model: recognition of the user's speech, and synthesis sentence by sentence.
///
/// A turn begins when the user stops speaking. Sentences are synthesised in order, one at a time: each has its first audio
/// `latency` after a worker began with it, and holds the worker for as long as all its audio takes. It sounds when the one
/// before it has, or later if its audio is late: a silence.
/// Not modelled: users who interrupt, work on speech before it has ended, echo and jitter buffers.
class VoiceTurns final : private engine::EventHandler, private JobOwner {
 public:
  VoiceTurns(engine::Engine& engine, const VoiceSpec& spec, std::deque<Station>& stations, VoiceTurnsOwner& owner);

  /// A turn begins with the end of the user's speech, now.
  void begin(traces::Request request, const ToolTimes& tools);
  /// So many tokens more of the answer are there; they are the next sentence.
  void speak(std::uint32_t turn, std::int32_t tokens);
  /// The answer is complete, its last sentence spoken. The owner hears of it again when it has sounded.
  void complete(std::uint32_t turn, const results::RequestOutcome& outcome);
  /// The request has left without an answer.
  void drop(std::uint32_t turn);
  const VoiceSpec& spec() const { return spec_; }
  /// Turns that are at this moment not in the model: before it, or sounding after it.
  std::size_t outside_model() const { return outside_model_; }

 private:
  enum class Step : std::uint8_t { speech_reaches_hall, recognised, sentence_made, answer_ends };
  struct Turn {
    traces::Request request;
    ToolTimes tools;
    results::SpokenTurn times;
    SimTime text_at;
    SimTime first_sentence_at{-1};
    std::deque<std::int32_t> sentences;  ///< Tokens of those that are to be made, the one at work first.
    std::uint64_t sentences_made = 0;
    SimTime sounded_until;
    results::RequestOutcome outcome;
    bool is_making = false;
    bool is_complete = false;
    bool is_dropped = false;
  };

  static std::uint64_t token(Step step, std::uint32_t turn) { return std::uint64_t{static_cast<std::uint8_t>(step)} << 32 | turn; }
  void on_event(std::uint64_t token) override;
  void on_job_ended(std::uint64_t token, SimTime queued, SimTime started) override;
  void recognise(std::uint32_t at);
  void give_text(std::uint32_t at);
  void make_sentence(std::uint32_t at);
  void sound(Turn& turn, SimTime started);
  SimTime audio_of(std::int32_t tokens) const { return spec_.token_audio * tokens; }
  SimTime synthesis_latency(const Turn& turn) const;
  void end_if_over(std::uint32_t at);

  engine::Engine& engine_;
  const VoiceSpec& spec_;
  std::deque<Station>& stations_;
  VoiceTurnsOwner& owner_;
  RandomStream recognition_draws_;
  RandomStream synthesis_draws_;
  std::deque<Turn> turns_;  ///< Recycled slots.
  std::vector<std::uint32_t> free_;
  std::size_t outside_model_ = 0;
};

}  // namespace rackwright::serving
