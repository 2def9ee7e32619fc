#include "scenarios/plots/run_plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "models/base/quantity.h"
#include "scenarios/plots/decode_plots.h"

namespace rackwright::plots {
namespace {

using results::DurationCurve;
using results::RunDescription;
using results::RunResults;
using results::Timeline;
using results::TimelineSeries;

const Axis simulated_time{"Simulated time", "s", Scale::linear, true, std::nullopt};

Plot plot_over_time(std::string id, std::string title, std::string caption, Axis y) {
  return {std::move(id), std::move(title), std::move(caption), simulated_time, std::move(y), {}, {}};
}

void add_series(Plot& plot, const Timeline& timeline, const std::string& key, const std::string& name) {
  const TimelineSeries* values = timeline.find(key);
  if (values) plot.series.push_back(binned(name, values->values, timeline.period_s, timeline.end_s, points_shown));
}

/// One series for each pool, named after it; a single pool needs no name beside the title.
void add_pools(Plot& plot, const RunDescription& run, const Timeline& timeline, const std::string& column) {
  for (const results::PoolDescription& pool : run.pools) {
    add_series(plot, timeline, "pools." + pool.name + "." + column, pool.name);
  }
}

/// Pools that never do what the plot shows are left out beside one that does: prompts of a pool that decodes.
void leave_out_idle(Plot& plot) {
  const auto is_idle = [](const Series& series) { return std::ranges::all_of(series.points, [](const Point& point) { return point.y == 0; }); };
  if (!std::ranges::all_of(plot.series, is_idle)) std::erase_if(plot.series, is_idle);
}

/// Arrivals end; the time until the last request is done is no time without them, nor is what of a bin was left when they did.
void end_with_last(Plot& plot, const Timeline& timeline, const std::string& key, const std::string& name) {
  const TimelineSeries* values = timeline.find(key);
  if (!values) return;
  const auto past = std::find_if(values->values.rbegin(), values->values.rend(), [](double value) { return value > 0; }).base();
  std::vector<double> until(values->values.begin(), past);
  if (until.size() > 2) until.pop_back();
  const double end = std::min(timeline.end_s, static_cast<double>(until.size()) * timeline.period_s);
  plot.series.push_back(binned(name, until, timeline.period_s, end, points_shown));
}

/// A shade that covers half of a figure says that there is noise, which a reader of means need not see.
void leave_out_noise(Plot& plot) {
  double highest = 0;
  for (const Series& series : plot.series)
    for (const Spread& spread : series.spread) highest = std::max(highest, spread.high);
  constexpr double most_shade = 0.35;
  const auto shade = [](const Series& series) {
    double sum = 0;
    for (const Spread& spread : series.spread) sum += spread.high - spread.low;
    return series.spread.empty() ? 0 : sum / static_cast<double>(series.spread.size());
  };
  for (Series& series : plot.series)
    if (shade(series) > most_shade * highest) series.spread.clear();
}

Plot latency_plot(std::string id, std::string title, std::initializer_list<const char*> metrics, const RunDescription& run,
                  const std::vector<DurationCurve>& curves) {
  Plot plot{std::move(id),
            std::move(title),
            "Share of requests at or below a latency; each step to the right is a tenth of the rest.",
            {"Percentile", "fraction", Scale::nines, true, std::nullopt},
            {"Latency", "s", Scale::logarithmic, false, std::nullopt},
            {},
            {}};
  for (const char* metric : metrics) {
    const auto curve = std::ranges::find(curves, metric, &DurationCurve::metric);
    if (curve == curves.end()) continue;
    Series series{name_of(metric), Shape::line, {}};
    for (std::size_t i = 0; i < curve->values_s.size(); ++i) {
      // With n values nothing is known beyond 1 − 1/n.
      const double p = results::curve_probabilities[i];
      if (1 - p < 1 / static_cast<double>(curve->count)) break;
      if (curve->values_s[i] > 0) series.points.push_back({p, curve->values_s[i]});
    }
    if (!series.points.empty()) plot.series.push_back(std::move(series));
    for (const results::RequestClass& request_class : run.classes) {
      for (const results::SloTarget& target : request_class.targets) {
        if (results::to_string(target.metric) != metric || target.quantile >= 1) continue;
        plot.limits.push_back(
            {fmt::format("{}{}{} p{:g} ≤ {}", request_class.name, request_class.name.empty() ? "" : " ",
                         name_of(metric), target.quantile * 100, format_quantity(target.limit.seconds(), "s")),
             target.limit.seconds(), target.quantile});
      }
    }
  }
  return plot;
}

PlotGroup group(std::string title, std::vector<Plot> plots) {
  for (Plot& plot : plots) leave_out_noise(plot);
  std::erase_if(plots, [](const Plot& plot) {
    return std::ranges::all_of(plot.series, [](const Series& series) { return series.points.empty(); });
  });
  return {std::move(title), std::move(plots)};
}

}  // namespace

std::string name_of(std::string_view metric) {
  if (metric == "e2e") return "End to end";
  if (metric == "queue") return "Queue";
  if (metric == "longest_gap") return "Longest gap";
  if (metric == "first_audio") return "First audio";
  if (metric == "first_visible") return "First visible token";
  std::string name(metric);
  for (char& c : name) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return name;
}

std::vector<PlotGroup> run_plots(const RunDescription& run, const RunResults& results) {
  const Timeline& timeline = results.timeline;
  const Axis fraction{"", "fraction", Scale::linear, true, 1.0};
  const Axis share{"", "fraction", Scale::linear, true, std::nullopt};  // Small ones too are to be seen.

  Plot requests = plot_over_time("requests", "Requests",
                                 "Arrivals and completions; a gap between them is a growing backlog.", {"Requests per second", "1/s"});
  end_with_last(requests, timeline, "arrivals_per_s", "Arrivals");
  add_series(requests, timeline, "completions_per_s", "Completions");

  Plot tokens = plot_over_time("tokens", "Tokens decoded", "Tokens that decode steps emitted, by pool.",
                               {"Tokens per second", "1/s"});
  add_pools(tokens, run, timeline, "decode_tokens_per_s");
  leave_out_idle(tokens);

  Plot prefill =
      plot_over_time("prefill", "Tokens prefilled", "Prompt tokens computed, by pool; cached ones are not among them.",
                     {"Tokens per second", "1/s"});
  add_pools(prefill, run, timeline, "prefill_tokens_per_s");
  leave_out_idle(prefill);

  Plot utilization = plot_over_time("utilization", "Utilization", "Share of instances that were in a step.", fraction);
  utilization.y.label = "Busy";
  add_pools(utilization, run, timeline, "utilization");

  Plot batch =
      plot_over_time("batch", "Batch", "Sequences in a step, mean over the instances of a pool.", {"Sequences", ""});
  add_pools(batch, run, timeline, "batch");

  Plot queue = plot_over_time("queue", "Queue", "Requests that waited at the instances of a pool.", {"Requests", ""});
  add_pools(queue, run, timeline, "queue");

  Plot stations = plot_over_time("stations", "Stations", "Share of workers that were busy, by station.", fraction);
  stations.y.label = "Busy";
  for (const results::StationDescription& station : run.stations) add_series(stations, timeline, "stations." + station.name + ".utilization", station.name);

  Plot kv =
      plot_over_time("kv", "KV cache", "Share of the pool's KV memory that held tokens of running requests.", share);
  kv.y.label = "Used";
  add_pools(kv, run, timeline, "kv_fraction");

  Plot power = plot_over_time("power", "IT power", "Mean over each bin; the peak in the table is exact over time.",
                              {"Power", "W"});
  if (run.racks.size() != 1) add_series(power, timeline, "it_power_w", "All racks");
  constexpr std::size_t racks_shown = 7;
  for (std::size_t i = 0; i < std::min(racks_shown, run.racks.size()); ++i) {
    const results::RackDescription& rack = run.racks[i];
    add_series(power, timeline, "racks." + rack.name + ".power_w", rack.name);
  }
  if (run.racks.size() == 1 && run.racks.front().power_budget_w) {
    power.limits.push_back({"Budget " + format_quantity(*run.racks.front().power_budget_w, "W"),
                            *run.racks.front().power_budget_w, std::nullopt});
  }

  Plot network = plot_over_time("network", "Network load",
                                "Share of what all links of a kind could carry, both directions; collectives inside a scale-up domain are costs and not among it.",
                                share);
  network.y.label = "Used";
  for (const TimelineSeries& series : timeline.series) {
    constexpr std::string_view prefix = "network.", suffix = ".utilization";
    if (!series.key.starts_with(prefix) || !series.key.ends_with(suffix)) continue;
    std::string links = series.key.substr(prefix.size(), series.key.size() - prefix.size() - suffix.size());
    std::ranges::replace(links, '_', ' ');
    add_series(network, timeline, series.key, links);
  }

  std::vector<PlotGroup> groups;
  groups.push_back(
      group("Latency", {latency_plot("latency", "Request latencies", {"ttft", "first_visible", "first_audio", "e2e", "queue"}, run, results.curves),
                        latency_plot("token_latency", "Token latencies", {"tpot", "itl"}, run, results.curves)}));
  groups.push_back(group("Load", {std::move(requests), std::move(tokens), std::move(prefill), std::move(utilization),
                                  std::move(batch), std::move(queue), std::move(kv), std::move(stations), std::move(network)}));
  groups.push_back(group("Decode", decode_plots(run, results.summary)));
  groups.push_back(group("Power", {std::move(power)}));
  std::erase_if(groups, [](const PlotGroup& g) { return g.plots.empty(); });
  return groups;
}

}  // namespace rackwright::plots
