#include "sim/run/workload_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "scenarios/schema/scenario.pb.h"
#include "scenarios/spec/findings.h"

namespace rackwright::run {
namespace {

/// Caches find nothing in a log without block hashes; further completions of a prompt bring their own.
void warn_of_idle_caches(scenarios::CheckedScenario& checked, scenarios::Findings& findings) {
  const scenarios::ScenarioSpec& scenario = checked.spec;
  if (scenario.workload.samples > 1) return;
  const auto idle = [&](const std::string& path) { findings.warning(path, fmt::format("no effect: {}, because the log has no block hashes", path)); };
  if (scenario.routing.policy == "prefix-aware") idle("routing.policy");
  for (std::size_t i = 0; i < scenario.pools.size(); ++i) {
    const scenarios::KvCacheSpec& cache = scenario.pools[i].kv_cache;
    const bool is_asked_for = checked.written->deployment(static_cast<int>(i)).kv_cache().has_prefix_caching();
    if (is_asked_for && cache.prefix_caching) idle(fmt::format("deployment[{}].kv_cache.prefix_caching", i));
    if (!cache.tiers.empty() && !cache.swaps) idle(fmt::format("deployment[{}].kv_cache.tiers", i));
  }
}

void check_tools(const scenarios::ScenarioSpec& scenario, const traces::TraceReport& log, scenarios::Findings& findings) {
  const auto is_known = [&](const std::string& name) { return std::ranges::find(scenario.workload.tools, name, &scenarios::ToolSpec::name) != scenario.workload.tools.end(); };
  if (log.tools.empty() && !scenario.workload.tools.empty()) {
    findings.warning("workload.tools", "no effect: workload.tools, because the log has no tools");
  }
  if (is_known("*")) return;
  std::string unknown;
  for (const std::string& name : log.tools)
    if (!is_known(name)) unknown += (unknown.empty() ? "'" : ", '") + name + "'";
  if (unknown.empty()) return;
  findings.warning("workload.tools", fmt::format("of these tools of the log only the time passes, and nothing is busy: {}", unknown),
                   "say in workload.tools which station runs them, '*' for all others");
}

}  // namespace

void warn_of_the_end_of_time(const scenarios::CheckedScenario& checked, scenarios::Findings& findings) {
  const std::optional<traces::GeneratorSpec>& generator = checked.spec.workload.generator;
  if (!generator) return;
  if (generator->duration == SimTime::max()) {
    findings.warning("workload.duration", "simulated time ends after 106 days, and with it the arrivals");
    return;
  }
  if (!generator->count || generator->duration) return;
  const double needed_s = static_cast<double>(*generator->count) / generator->arrivals.rate_per_s;
  if (needed_s < SimTime::max().seconds()) return;
  findings.warning("workload.requests", fmt::format("at this rate so many requests take {:.4g} days, and simulated time ends after 106", needed_s / 86'400),
                   "raise workload.rate, or lower workload.requests");
}

void warn_of_missing_in_log(scenarios::CheckedScenario& checked, const traces::TraceReport& log) {
  scenarios::Findings findings(checked.places, checked.diagnostics);
  if (!log.has_block_hashes) warn_of_idle_caches(checked, findings);
  check_tools(checked.spec, log, findings);
  const std::optional<scenarios::VoiceSpec>& voice = checked.spec.workload.voice;
  if (voice && voice->recognition && voice->recognition->real_time_factor > 0 && voice->speech_s.empty() && !log.has_speech) {
    const std::string path = "workload.voice.speech_to_text.real_time_factor";
    findings.warning(path, fmt::format("no effect: {}, because the log does not say how long users speak", path), "give 'speech', such as '4 s'");
  }
}

}  // namespace rackwright::run
