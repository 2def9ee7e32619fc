#pragma once

#include <cstdint>
#include <optional>

#include "scenarios/results/request_outcome.h"
#include "scenarios/results/run_summary.h"
#include "sim/metrics/duration_distribution.h"
#include "sim/metrics/int128.h"

namespace rackwright::metrics {

/// The way of spoken turns to their first audio, part by part.
class VoiceTally {
 public:
  void add(const results::RequestOutcome& request) {
    if (!request.turn) return;
    const results::SpokenTurn& turn = *request.turn;
    first_audio_.add(request.first_audio_time());
    gap_.add(turn.longest_gap);
    network_ps_ += turn.network.ps;
    recognition_ps_ += turn.recognition.ps;
    synthesis_ps_ += turn.synthesis.ps;
    all_ps_ += request.first_audio_time().ps;
  }

  std::optional<results::VoiceSummary> summary() {
    if (first_audio_.count() == 0) return std::nullopt;
    const auto mean_s = [&](Int128 ps) { return static_cast<double>(ps) / 1e12 / static_cast<double>(first_audio_.count()); };
    results::VoiceSummary summary;
    summary.turns = first_audio_.count();
    summary.first_audio_s = first_audio_.statistics();
    summary.network_s = mean_s(network_ps_);
    summary.recognition_s = mean_s(recognition_ps_);
    summary.synthesis_s = mean_s(synthesis_ps_);
    summary.model_s = mean_s(all_ps_ - network_ps_ - recognition_ps_ - synthesis_ps_);
    summary.longest_gap_s = gap_.statistics();
    return summary;
  }
  DurationDistribution& first_audio() { return first_audio_; }

 private:
  DurationDistribution first_audio_, gap_;
  Int128 all_ps_ = 0, network_ps_ = 0, recognition_ps_ = 0, synthesis_ps_ = 0;
};

}  // namespace rackwright::metrics
