#include "scenarios/plots/decode_plots.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace rackwright::plots {
namespace {

using results::DecodeBatch;
using results::PoolSummary;

const Axis sequences{"Sequences in a step", "", Scale::logarithmic, false, std::nullopt};

/// Pools whose steps give tokens to requests; those that work for another pool would count them twice.
bool answers_requests(const results::RunDescription& run, const PoolSummary& pool) {
  const auto described = std::ranges::find(run.pools, pool.name, &results::PoolDescription::name);
  return described != run.pools.end() && described->role != "ffn" && described->role != "draft" && described->role != "prefill";
}

/// Batches that are no passing accident of a ramp.
std::vector<DecodeBatch> steady(const PoolSummary& pool) {
  constexpr double least_share = 1e-4;
  double busy_s = 0;
  for (const DecodeBatch& batch : pool.decode_batches) busy_s += batch.busy_s;
  std::vector<DecodeBatch> batches = pool.decode_batches;
  std::erase_if(batches, [&](const DecodeBatch& batch) { return batch.busy_s < least_share * busy_s; });
  return batches;
}

Plot bound_plot(std::size_t index, const std::string& pool, const std::vector<DecodeBatch>& batches) {
  constexpr std::array names{"Compute", "Memory", "Links", "Host"};
  Plot plot{"decode_bound_" + std::to_string(index), "What decode waits for: " + pool, "Share of the time of steps without prompts, by how many sequences they served.", sequences,
            {"Time", "fraction", Scale::linear, true, 1.0}, {}, {}};
  for (std::size_t i = 0; i < names.size(); ++i) {
    Series series{names[i], Shape::line, {}};
    for (const DecodeBatch& batch : batches) series.points.push_back({batch.sequences, batch.bound[i]});
    if (std::ranges::any_of(series.points, [](const Point& point) { return point.y >= 0.005; })) plot.series.push_back(std::move(series));
  }
  return plot;
}

}  // namespace

std::vector<Plot> decode_plots(const results::RunDescription& run, const results::RunSummary& summary) {
  Plot throughput{"decode_throughput", "Decode throughput by batch", "Tokens per second of one instance, by how many sequences its step serves; steps with prompts are left out.",
                  sequences, {"Tokens per second", "1/s", Scale::logarithmic, false, std::nullopt}, {}, {}};
  std::vector<Plot> bounds;
  for (const PoolSummary& pool : summary.pools) {
    const std::vector<DecodeBatch> batches = steady(pool);
    if (batches.size() < 3 || !answers_requests(run, pool)) continue;
    Series series{pool.name, Shape::line, {}};
    for (const DecodeBatch& batch : batches) series.points.push_back({batch.sequences, batch.tokens_per_s()});
    throughput.series.push_back(std::move(series));
    bounds.push_back(bound_plot(bounds.size(), pool.name, batches));
  }
  std::vector<Plot> plots;
  if (!throughput.series.empty()) plots.push_back(std::move(throughput));
  std::ranges::move(bounds, std::back_inserter(plots));
  return plots;
}

}  // namespace rackwright::plots
