#include "sim/report/summary_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "scenarios/plots/run_plots.h"
#include "sim/report/agent_text.h"
#include "sim/report/numbers.h"
#include "sim/report/rate_match_text.h"

namespace rackwright::report {
namespace {

using results::RunSummary;

std::string requests_line(const RunSummary& s) {
  const results::RequestCounts& r = s.requests;
  std::string text = r.completed == r.total ? fmt::format("{} completed", grouped(r.total))
                                            : fmt::format("{} completed of {}", grouped(r.completed), grouped(r.total));
  for (const auto& [count, word] : {std::pair{r.rejected, "rejected"},
                                    {r.failed, "failed"},
                                    {r.cancelled, "cancelled"},
                                    {r.in_flight, "in flight"}}) {
    if (count > 0) text += fmt::format(", {} {}", grouped(count), word);
  }
  return text + fmt::format(" in {} of simulated time", duration(s.duration_s));
}

std::string latencies(const RunSummary& s, TextStyle style) {
  TextTable table({"", "mean", "p50", "p90", "p95", "p99", "max"});
  for (const auto& [name, values] : {std::pair{"TTFT", &s.ttft_s},
                                     {"TPOT", &s.tpot_s},
                                     {"ITL", &s.itl_s},
                                     {"First visible", &s.first_visible_s},
                                     {"End to end", &s.e2e_s},
                                     {"Queue", &s.queue_s}}) {
    if (!*values) continue;
    const results::DurationStatistics& v = **values;
    table.add({{name, Tone::strong},
               quantity(v.mean, "s"),
               quantity(v.p50, "s"),
               quantity(v.p90, "s"),
               quantity(v.p95, "s"),
               quantity(v.p99, "s"),
               quantity(v.max, "s")});
  }
  return table.empty() ? "" : table.text(style) + "\n";
}

/// An objective that no request has a value for is neither met nor missed, unless requests were lost.
TextCell verdict(const results::Objective& objective) {
  if (!objective.met) return {"✗ missed", Tone::bad};
  return objective.value_s ? TextCell{"✓ met", Tone::good} : TextCell{"not judged"};
}

std::string objectives(const RunSummary& s, TextStyle style) {
  if (!s.slo) return {};
  TextTable table({"", "limit", "simulated", ""});
  for (const results::Objective& o : s.slo->objectives) {
    const std::string which = o.request_class.empty() ? "" : o.request_class + ": ";
    table.add({{fmt::format("{}{} p{:g}", which, plots::name_of(results::to_string(o.target.metric)),
                            o.target.quantile * 100),
                Tone::strong},
               stated(o.target.limit.seconds(), "s"),
               o.value_s ? quantity(*o.value_s, "s") : "none",
               verdict(o)});
  }
  if (s.requests.total == s.requests.in_flight) return table.text(style) + "No request left, so that none is judged\n\n";
  return table.text(style) + fmt::format("{} of requests within every limit, goodput {} requests/s\n\n",
                                         percent(s.slo->attainment), rounded(s.slo->goodput_requests_per_s));
}

std::string pools(const RunSummary& s, TextStyle style) {
  TextTable table({"Pool", "utilization", "steps", "mean batch", "KV peak", "preemptions", "energy"});
  for (const results::PoolSummary& p : s.pools) {
    table.add({{p.name, Tone::strong}, percent(p.utilization), grouped(p.steps), rounded(p.mean_batch),
               p.kv_peak_fraction ? percent(*p.kv_peak_fraction) : "", grouped(p.preemptions),
               p.energy_j ? quantity(*p.energy_j, "J") : ""});
  }
  std::string text = table.empty() ? "" : table.text(style) + "\n";
  for (const results::PoolSummary& p : s.pools) {
    if (!p.clock) continue;
    text += fmt::format("{}: the power limit held the clock at {} of full in the mean; throttled for {} of busy time\n\n", p.name,
                        percent(p.clock->mean_clock), percent(p.clock->throttled_s / p.busy_s));
  }
  return text;
}

std::string shares(const results::ProvenanceShares& provenance) {
  std::string text;
  for (std::size_t i = 0; i < provenance.size(); ++i) {
    if (provenance[i] > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", percent(provenance[i]), results::provenance_names[i]);
  }
  return text;
}

}  // namespace

std::string summary_table(const results::RunDescription& run, const RunSummary& s, TextStyle style) {
  const auto line = [&](const std::string& name, const std::string& text) {
    return toned(name, Tone::strong, style) + std::string(13 - std::min<std::size_t>(12, name.size()), ' ') + text + "\n";
  };
  std::string text = line("Run", run.scenario.empty() ? "unnamed scenario" : run.scenario);
  if (s.status != results::RunStatus::complete) {
    text += line("Partial", toned(s.status_reason.empty() ? "cancelled" : s.status_reason, Tone::bad, style));
  }
  text += line("Requests", requests_line(s));
  text += line("Throughput", fmt::format("{} requests/s, {} input tokens/s, {} output tokens/s", rounded(s.requests_per_s),
                                         rounded(s.input_tokens_per_s), rounded(s.output_tokens_per_s)));
  if (s.it) {
    const std::string per_token =
        s.it->per_output_token_j ? fmt::format(", {} per output token", quantity(*s.it->per_output_token_j, "J")) : "";
    text += line("IT power", fmt::format("mean {}, peak {}{}", quantity(s.it->mean_w, "W"), quantity(s.it->peak_w, "W"),
                                         per_token));
  }
  if (s.quality)
    text += line("Quality", fmt::format("{} of answers, {} per W, {} per kJ", percent(s.quality->mean), rounded(s.quality->per_w),
                                        rounded(s.quality->per_j * 1000)));
  if (s.chains) text += line("Tasks", chain_text(*s.chains));
  if (s.voice) text += line("Voice", voice_text(*s.voice));
  for (const results::StationSummary& station : s.stations) text += line("Station", station_text(station));
  for (const results::RateMatch& match : s.rate_match) text += line("Rate match", rate_match_text(match));
  for (const results::LayerSides& sides : s.layer_sides) text += line("Layer sides", layer_sides_text(sides));
  if (s.provenance) text += line("Costs", shares(*s.provenance));
  text += "\n" + latencies(s, style) + objectives(s, style) + pools(s, style);
  text.erase(text.find_last_not_of('\n') + 2);
  return text;
}

}  // namespace rackwright::report
