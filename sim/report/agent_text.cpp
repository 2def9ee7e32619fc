#include "sim/report/agent_text.h"

#include <fmt/format.h>

#include "sim/report/numbers.h"

namespace rackwright::report {

std::string chain_text(const results::ChainSummary& c) {
  std::string text = fmt::format("{} tasks of {} model calls took {} on average, {} at p95: {} in models ({} queued), {} in tools, {} waiting for workers", grouped(c.chains),
                                 rounded(c.calls), quantity(c.e2e_s.mean, "s"), quantity(c.e2e_s.p95, "s"), quantity(c.model_s, "s"),
                                 quantity(c.model_queue_s, "s"), quantity(c.tool_s, "s"), quantity(c.tool_wait_s, "s"));
  text += c.binds() == "nothing" ? "; neither models nor stations make tasks wait" : fmt::format("; {} bind", c.binds());
  return text;
}

std::string voice_text(const results::VoiceSummary& v) {
  std::string text = fmt::format("first audio after {} on average, {} at p95: network {}, recognition {}, model {}, synthesis {}", quantity(v.first_audio_s.mean, "s"),
                                 quantity(v.first_audio_s.p95, "s"), quantity(v.network_s, "s"), quantity(v.recognition_s, "s"),
                                 quantity(v.model_s, "s"), quantity(v.synthesis_s, "s"));
  if (v.longest_gap_s.max > 0) text += fmt::format("; silences inside answers up to {}", quantity(v.longest_gap_s.max, "s"));
  return text;
}

std::string station_text(const results::StationSummary& s) {
  std::string text = fmt::format("{}: {} of {} workers busy, {} jobs", s.name, percent(s.utilization), grouped(s.workers), grouped(s.jobs));
  if (s.wait_s) text += fmt::format(" that waited {} on average", quantity(s.wait_s->mean, "s"));
  return text;
}

}  // namespace rackwright::report
