#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "scenarios/plots/run_plots.h"
#include "sim/report/findings_text.h"
#include "sim/report/html.h"
#include "sim/report/numbers.h"
#include "sim/report/sections/sections.h"
#include "sim/report/svg_plot.h"

namespace rackwright::report {
namespace {

using results::Objective;
using results::RunSummary;

std::string tile(std::string_view label, std::string_view number, std::string_view note, std::string_view css_class = "") {
  return fmt::format(
      "<div class=\"tile {}\"><dt>{}</dt><dd><span class=\"number\">{}</span><span "
      "class=\"note\">{}</span></dd></div>\n",
      css_class, escaped(label), escaped(number), escaped(note));
}

/// The objective on a metric that has the least room, whatever its class.
const Objective* objective_of(const RunSummary& s, results::LatencyMetric metric) {
  if (!s.slo) return nullptr;
  const Objective* tightest = nullptr;
  const auto use = [](const Objective& o) { return o.value_s.value_or(0) / o.target.limit.seconds(); };
  for (const Objective& o : s.slo->objectives)
    if (o.target.metric == metric && (!tightest || use(o) > use(*tightest))) tightest = &o;
  return tightest;
}

/// The quantile that an objective names, beside its limit; without an objective, the p99.
std::string latency_tile(const RunSummary& s, results::LatencyMetric metric, std::string_view name,
                         const std::optional<results::DurationStatistics>& values) {
  if (!values) return {};
  const Objective* objective = objective_of(s, metric);
  if (!objective || !objective->value_s) {
    return tile(fmt::format("{} p99", name), quantity(values->p99, "s"),
                fmt::format("median {}", quantity(values->p50, "s")));
  }
  const std::string limit = stated(objective->target.limit.seconds(), "s");
  const std::string which = objective->request_class.empty() ? "" : objective->request_class + " ";
  return tile(fmt::format("{}{} p{:g}", which, name, objective->target.quantile * 100),
              quantity(*objective->value_s, "s"),
              objective->met ? fmt::format("✓ within {}", limit) : fmt::format("✗ above {}", limit),
              objective->met ? "met" : "missed");
}

/// What binds and where the time goes, beside the numbers that it explains.
std::string decisive(const ReportInput& input) {
  const std::vector<std::string> all = findings(input.run, input.results.summary);
  if (all.empty()) return {};
  std::string list = "<ul class=\"findings\">\n";
  for (const std::string& finding : all) list += "<li>" + escaped(finding) + "</li>\n";
  return list + "</ul>\n";
}

/// Where the times came from, in the words that a reader of the numbers needs.
std::string evidence(const RunSummary& s) {
  if (!s.provenance) return {};
  constexpr std::array meanings{
      "interpolated inside a measured grid", "beyond the measured grid", "a roofline fitted to measurements of the device",
      "a roofline with a default efficiency", "a value that the scenario supplied"};
  std::vector<Share> shares;
  for (std::size_t i = 0; i < s.provenance->size(); ++i) {
    shares.push_back({results::provenance_names[i], (*s.provenance)[i], fmt::format("p{}", i), meanings[i]});
  }
  return "<aside class=\"evidence\"><h3>How well founded is this?</h3><p>Shares of busy time by where its cost came "
         "from.</p>" +
         share_bar("Provenance of costs", shares) + "</aside>\n";
}

}  // namespace

std::string conclusion_section(const ReportInput& input) {
  const RunSummary& s = input.results.summary;
  std::string tiles;
  if (s.slo) {
    tiles += tile("Within every limit", percent(s.slo->attainment),
                  fmt::format("of requests; goodput {} requests/s", rounded(s.slo->goodput_requests_per_s)));
  }
  if (s.voice) tiles += latency_tile(s, results::LatencyMetric::first_audio, "First audio", s.voice->first_audio_s);
  if (s.chains) tiles += tile("Task, mean", quantity(s.chains->e2e_s.mean, "s"), fmt::format("p95 {}", quantity(s.chains->e2e_s.p95, "s")));
  tiles += latency_tile(s, results::LatencyMetric::ttft, "TTFT", s.ttft_s);
  tiles += latency_tile(s, results::LatencyMetric::tpot, "TPOT", s.tpot_s);
  tiles += latency_tile(s, results::LatencyMetric::e2e, "End to end", s.e2e_s);
  tiles += tile("Output", rounded(s.output_tokens_per_s), fmt::format("tokens/s; {} requests/s", rounded(s.requests_per_s)));
  if (s.it)
    tiles += tile("IT power, mean", quantity(s.it->mean_w, "W"), fmt::format("peak {}", quantity(s.it->peak_w, "W")));
  if (s.it && s.it->per_output_token_j) {
    tiles += tile("Energy per output token", quantity(*s.it->per_output_token_j, "J"),
                  fmt::format("IT only; {} in all", quantity(s.it->energy_j, "J")));
  }
  if (s.quality)
    tiles += tile("Answered well", percent(s.quality->mean), fmt::format("of requests; {} for each kJ", rounded(s.quality->per_j * 1000)));
  return "<section class=\"conclusion\" aria-label=\"Conclusion\"><div><dl class=\"tiles\">\n" + tiles + "</dl>\n" + decisive(input) + "</div>\n" +
         evidence(s) + "</section>\n";
}

std::string objectives_section(const ReportInput& input) {
  const RunSummary& s = input.results.summary;
  if (!s.slo) return {};
  HtmlTable table{"", {"Objective", "Limit", "Simulated", "Margin", "Met"}, {}};
  for (const Objective& o : s.slo->objectives) {
    const double limit = o.target.limit.seconds();
    const std::string which = o.request_class.empty() ? "" : o.request_class + ": ";
    table.rows.push_back(
        {fmt::format("{}{} p{:g}", which, plots::name_of(results::to_string(o.target.metric)), o.target.quantile * 100),
         stated(limit, "s"), o.value_s ? quantity(*o.value_s, "s") : "no value",
         o.value_s && limit > 0 ? percent((limit - *o.value_s) / limit) : "", !o.met ? "✗ no" : o.value_s ? "✓ yes" : "not judged"});
  }
  return section("objectives", "Objectives", to_html(table));
}

std::string warnings_section(const ReportInput& input) {
  const std::vector<std::string>& warnings = input.results.summary.warnings;
  if (warnings.empty()) return {};
  std::string body = "<ul class=\"warnings\">\n";
  for (const std::string& warning : warnings) body += "<li>" + escaped(warning) + "</li>\n";
  return section("warnings", fmt::format("{} warning{}", warnings.size(), warnings.size() == 1 ? "" : "s"),
                 body + "</ul>\n");
}

}  // namespace rackwright::report
