#include <fmt/format.h>

#include "models/base/hash.h"
#include "sim/report/html.h"
#include "sim/report/numbers.h"
#include "sim/report/sections/sections.h"
#include "sim/report/svg_plot.h"

namespace rackwright::report {

std::string setup_section(const ReportInput& input) {
  const results::RunDescription& run = input.run;
  HtmlTable pools{"Pools", {"Pool", "Role", "Model", "Instances", "Devices each", "Sharding"}, {}, true};
  for (const results::PoolDescription& pool : run.pools) {
    pools.rows.push_back({pool.name, pool.role, pool.model, fmt::format("{}", pool.instances),
                          fmt::format("{} × {}", pool.devices_per_instance, pool.device), pool.sharding});
  }
  HtmlTable racks{"Racks", {"Rack", "Preset", "Power budget", "Height"}, {}, true};
  for (const results::RackDescription& rack : run.racks) {
    racks.rows.push_back({rack.name, rack.preset, rack.power_budget_w ? stated(*rack.power_budget_w, "W") : "",
                          rack.height_u ? fmt::format("{:g} U", *rack.height_u) : ""});
  }
  HtmlTable inputs{"Inputs, and the XXH3-64 hash of what they held", {"Kind", "File", "Hash"}, {}, true};
  for (const results::InputFile& file : run.inputs) inputs.rows.push_back({file.kind, file.path, hex(file.hash)});
  std::string body = to_html(pools) + to_html(racks);
  if (!run.trace_report.empty()) {
    body += "<h3>Workload</h3><ul>\n";
    for (const std::string& line : run.trace_report) body += "<li>" + escaped(line) + "</li>\n";
    body += "</ul>\n";
  }
  if (const auto& window = input.results.summary.window) {
    body += fmt::format(
        "<p>Measured from {} to {} of simulated time: {} requests arrived then; the rest is warm-up and "
        "cool-down.</p>\n",
        escaped(duration(window->from_s)), escaped(duration(window->to_s)), grouped(window->requests));
  }
  if (!run.unverified_figures.empty()) {
    body += "<h3>Figures from memory</h3>\n<p>The catalog has no source for these figures; a scenario can give them itself.</p><ul>\n";
    for (const std::string& line : run.unverified_figures) body += "<li>" + escaped(line) + "</li>\n";
    body += "</ul>\n";
  }
  body += to_html(inputs);
  body += fmt::format(
      "<p class=\"remark\">Rackwright {}, seed {}. The same version, scenario, inputs and seed give the same "
      "numbers.</p>\n",
      escaped(run.version), run.seed);
  return section("setup", "What was simulated", body);
}

std::string scenario_section(const ReportInput& input) {
  if (input.run.resolved_scenario.empty()) return {};
  return section("scenario", "Scenario",
                 "<details><summary>The scenario with every default and preset written out</summary>\n<pre><code>" +
                     escaped(input.run.resolved_scenario) + "</code></pre></details>\n");
}

std::string definitions_section(const ReportInput&) {
  return section("definitions", "Definitions", R"(<dl class="definitions">
<dt>TTFT</dt><dd>Time to first token: from a request's arrival to the end of the step that emitted its first token.</dd>
<dt>TPOT</dt><dd>Time per output token: (last − first token) / (n − 1), for requests of two tokens or more.</dd>
<dt>ITL</dt><dd>Inter-token latency: every gap between two tokens of a request.</dd>
<dt>End to end</dt><dd>From a request's arrival to its last token.</dd>
<dt>First visible token</dt><dd>From a request's arrival to its first token that is no hidden reasoning; of requests that reason.</dd>
<dt>First audio</dt><dd>From the end of the user's speech to the first sound of the answer where the caller is.</dd>
<dt>Queue</dt><dd>From a request's arrival to the start of the first step that computed something for it.</dd>
<dt>Within every limit</dt><dd>Completed requests whose own values meet all objectives of their class, over all requests that left the system.</dd>
<dt>Goodput</dt><dd>Requests within every limit, per second of the measured time.</dd>
<dt>IT power</dt><dd>Devices, hosts and whatever else the racks hold; neither cooling nor power conversion.</dd>
</dl>
)");
}

}  // namespace rackwright::report
