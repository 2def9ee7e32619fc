#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/plots/run_plots.h"
#include "sim/report/html.h"
#include "sim/report/numbers.h"
#include "sim/report/sections/sections.h"
#include "sim/report/svg_plot.h"

namespace rackwright::report {
namespace {

using results::DurationStatistics;
using results::RunSummary;

std::vector<std::string> statistics_row(std::string name, const DurationStatistics& s) {
  return {std::move(name), grouped(s.count), quantity(s.mean, "s"), quantity(s.p50, "s"), quantity(s.p90, "s"),
          quantity(s.p95, "s"), quantity(s.p99, "s"), quantity(s.max, "s")};
}

const std::vector<std::string> statistics_head{"", "Values", "Mean", "p50", "p90", "p95", "p99", "Max"};

}  // namespace

std::string latency_section(const ReportInput& input) {
  const RunSummary& s = input.results.summary;
  HtmlTable table{"", statistics_head, {}};
  bool exact = true;
  for (const auto& [name, values] : {std::pair{"TTFT", &s.ttft_s},
                                     {"TPOT", &s.tpot_s},
                                     {"ITL", &s.itl_s},
                                     {"First visible token", &s.first_visible_s},
                                     {"End to end", &s.e2e_s},
                                     {"Queue", &s.queue_s}}) {
    if (!*values) continue;
    table.rows.push_back(statistics_row(name, **values));
    exact &= (*values)->exact;
  }
  std::string body = figures(plots::run_plots(input.run, input.results), "Latency") + to_html(table);
  if (!exact)
    body +=
        "<p class=\"remark\">Quantiles of more than a million values come from a sketch, within 0.1 % of the "
        "value.</p>\n";
  return section("latency", "Latency", body);
}

std::string decode_section(const ReportInput& input) {
  return section("decode", "Decode by batch", figures(plots::run_plots(input.run, input.results), "Decode"));
}

std::string load_section(const ReportInput& input) {
  const RunSummary& s = input.results.summary;
  HtmlTable pools{"Pools", {"Pool", "Utilization", "Steps", "Mean batch", "KV peak", "Preemptions", "Energy"}, {}};
  for (const results::PoolSummary& pool : s.pools) {
    pools.rows.push_back({pool.name, percent(pool.utilization), grouped(pool.steps), rounded(pool.mean_batch),
                          pool.kv_peak_fraction ? percent(*pool.kv_peak_fraction) : "", grouped(pool.preemptions),
                          pool.energy_j ? quantity(*pool.energy_j, "J") : ""});
  }
  const auto bins = input.results.timeline.bins();
  std::string body = figures(plots::run_plots(input.run, input.results), "Load");
  if (bins > plots::points_shown)
    body +=
        "<p class=\"remark\">Lines are means; the shade behind them reaches from the lowest to the highest bin of "
        "timeline.csv.</p>\n";
  body += to_html(pools);
  for (const results::PoolSummary& pool : s.pools) {
    if (!pool.clock) continue;
    body += fmt::format("<p class=\"remark\">The power limit held the clock of {} at {} of full in the mean; {} of its busy time was throttled.</p>\n",
                        escaped(pool.name), percent(pool.clock->mean_clock), percent(pool.clock->throttled_s / pool.busy_s));
  }
  if (s.bound) {
    constexpr std::array names{"compute", "memory", "links", "host"};
    constexpr std::array meanings{"stretched by a lower SM clock", "reading weights and KV",
                                  "communication that nothing hides", "launches and scheduling"};
    std::vector<Share> shares;
    for (std::size_t i = 0; i < names.size(); ++i)
      shares.push_back({names[i], (*s.bound)[i], fmt::format("b{}", i), meanings[i]});
    body += "<div class=\"bound\"><h3>What busy time waited for</h3>" + share_bar("What busy time waited for", shares) +
            "</div>\n";
  }
  if (s.prefix_cache && s.prefix_cache->hit_tokens > 0) {
    const double hit = static_cast<double>(s.prefix_cache->hit_tokens) / static_cast<double>(s.prefix_cache->lookup_tokens);
    body +=
        fmt::format("<p>The prefix cache held {} of {} prompt tokens looked up ({}).</p>\n",
                    grouped(s.prefix_cache->hit_tokens), grouped(s.prefix_cache->lookup_tokens), escaped(percent(hit)));
  }
  return section("load", "Load", body);
}

std::string power_section(const ReportInput& input) {
  if (!input.results.summary.it) return {};
  const results::ItPower& it = *input.results.summary.it;
  HtmlTable racks{"Racks", {"Rack", "Mean", "Peak", "Budget", "Peak of budget", "Peak per rack unit"}, {}};
  for (const results::RackPower& rack : it.racks) {
    racks.rows.push_back({rack.name, quantity(rack.mean_w, "W"), quantity(rack.peak_w, "W"),
                          rack.budget_w ? stated(*rack.budget_w, "W") : "",
                          rack.budget_w && *rack.budget_w > 0 ? percent(rack.peak_w / *rack.budget_w) : "",
                          rack.density_w_per_u ? quantity(*rack.density_w_per_u, "W") : ""});
  }
  HtmlTable energy{"Energy of the IT equipment", {"In all", "Per request", "Per output token"}, {{
      quantity(it.energy_j, "J"), it.per_request_j ? quantity(*it.per_request_j, "J") : "",
      it.per_output_token_j ? quantity(*it.per_output_token_j, "J") : ""}}};
  return section("power", "Power and energy",
                 "<div class=\"beside\">" + figures(plots::run_plots(input.run, input.results), "Power") + "<div>" +
                     to_html(racks) + to_html(energy) + "</div></div>\n");
}

std::string network_section(const ReportInput& input) {
  const auto& network = input.results.summary.network;
  if (!network) return {};
  std::string body =
      fmt::format("<p>Communication that nothing hides took {} of busy time ({} in all, with KV on its way).</p>\n",
                  escaped(percent(network->share_of_busy)), escaped(duration(network->exposed_s)));
  if (network->kv)
    body += fmt::format("<p>KV of {} requests moved; their decoding waited {} for it on average, {} at most.</p>\n",
                        grouped(network->kv->requests), escaped(duration(network->kv->exposed_s.mean)), escaped(duration(network->kv->exposed_s.max)));
  if (network->bytes)
    body += fmt::format("<p>Flows over shared links carried {}.</p>\n", escaped(quantity(*network->bytes, "B")));
  HtmlTable links{"", {"Link", "Carried by all of them", "Mean load"}, {}};
  for (const results::LinkLoad& link : network->links) {
    if (link.bytes > 0) links.rows.push_back({link.name, quantity(link.bytes, "B"), percent(link.mean_utilization)});
  }
  const auto share = [](const std::optional<results::ExposedCommunication>& phase) { return phase ? percent(phase->share_of_busy) : ""; };
  HtmlTable pools{"", {"Pool", "Exposed", "Of busy time", "In prefill", "In decode"}, {}};
  for (const results::PoolCommunication& pool : network->pools)
    pools.rows.push_back({pool.name, duration(pool.all.exposed_s), percent(pool.all.share_of_busy), share(pool.prefill), share(pool.decode)});
  return section("network", "Communication", body + to_html(pools) + to_html(links));
}

std::string logged_section(const ReportInput& input) {
  const RunSummary& s = input.results.summary;
  std::string body;
  for (const auto& [name, logged] : {std::pair{"TTFT", &s.logged_ttft}, {"End to end", &s.logged_e2e}}) {
    if (!*logged) continue;
    HtmlTable table{name,
                    statistics_head,
                    {statistics_row("Simulated", (*logged)->simulated), statistics_row("Logged", (*logged)->logged),
                     statistics_row("Difference of a request", (*logged)->absolute_error)}};
    const double mean = (*logged)->logged.mean;
    body += to_html(table);
    body += fmt::format(
        "<p class=\"remark\">On average the simulation is {} {} than the log{}.</p>\n",
        escaped(quantity(std::abs((*logged)->mean_error_s), "s")), (*logged)->mean_error_s >= 0 ? "slower" : "faster",
        mean > 0 ? escaped(fmt::format(" ({} of the logged mean)", percent(std::abs((*logged)->mean_error_s) / mean)))
                 : "");
  }
  return section("logged", "Simulated against logged", body);
}

}  // namespace rackwright::report
