// Tasks of agents, spoken turns, and the stations that work for them.
#include <fmt/format.h>

#include "sim/report/html.h"
#include "sim/report/numbers.h"
#include "sim/report/sections/sections.h"
#include "sim/report/svg_plot.h"

namespace rackwright::report {
namespace {

/// Times that add up to a whole, as one bar.
std::string parts_of(std::string_view label, double whole_s, const std::vector<std::pair<std::string, std::pair<double, std::string>>>& parts) {
  if (whole_s <= 0) return {};
  std::vector<Share> shares;
  for (const auto& [name, part] : parts)
    if (part.first > 0)
      shares.push_back({fmt::format("{} {}", name, quantity(part.first, "s")), part.first / whole_s, fmt::format("b{}", shares.size()), part.second});
  return share_bar(label, shares);
}

std::string chains(const results::ChainSummary& c) {
  return parts_of("Where the time of a task goes", c.model_s + c.tool_s + c.tool_wait_s + c.other_s,
                         {{"model at work", {c.model_s - c.model_queue_s, "prompts and tokens"}},
                          {"model's queue", {c.model_queue_s, "before a first step"}},
                          {"tools", {c.tool_s, "on workers of stations"}},
                          {"tools' queue", {c.tool_wait_s, "for workers or memory"}},
                          {"pauses", {c.other_s, "think times, and what the log says passed"}}});
}

std::string voice(const results::VoiceSummary& v) {
  return parts_of("From the end of speech to the first audio", v.first_audio_s.mean,
                         {{"network", {v.network_s, "both ways"}},
                          {"recognition", {v.recognition_s, "speech to text"}},
                          {"model", {v.model_s, "to the first sentence"}},
                          {"synthesis", {v.synthesis_s, "to the first audio of it"}}});
}

std::string stations(const std::vector<results::StationSummary>& all) {
  HtmlTable table{"Stations", {"Station", "Device", "Workers", "Jobs", "Utilization", "Job, mean", "Wait, mean", "Wait, p99", "Peak memory", "Energy"}, {}};
  for (const results::StationSummary& s : all)
    table.rows.push_back({s.name, s.device, grouped(s.workers), grouped(s.jobs), percent(s.utilization), s.job_s ? quantity(s.job_s->mean, "s") : "",
                          s.wait_s ? quantity(s.wait_s->mean, "s") : "", s.wait_s ? quantity(s.wait_s->p99, "s") : "",
                          percent(s.peak_memory_fraction), s.energy_j ? quantity(*s.energy_j, "J") : ""});
  return to_html(table);
}

}  // namespace

std::string agents_section(const ReportInput& input) {
  const results::RunSummary& s = input.results.summary;
  std::string body;
  if (s.chains) body += chains(*s.chains);
  if (s.voice) body += voice(*s.voice);
  if (!s.stations.empty()) body += stations(s.stations);
  return section("agents", s.voice ? "Spoken turns" : "Tasks and stations", body);
}

}  // namespace rackwright::report
