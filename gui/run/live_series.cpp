#include "gui/run/live_series.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace rackwright::gui {
namespace {

using plots::Axis;
using plots::Plot;
using plots::Scale;
using plots::Series;

/// Nearest rank, as in the summary.
double quantile(std::vector<float> values, double q) {
  const auto n = static_cast<double>(values.size());
  const auto rank = static_cast<std::size_t>(std::max(1.0, std::ceil(q * n - 1e-9)));
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(rank - 1);
  std::nth_element(values.begin(), at, values.end());
  return static_cast<double>(*at);
}

Plot plotOverTime(const char* id, const char* title, const char* caption, Axis y) {
  return {id, title, caption, {"Simulated time", "s", Scale::linear, true, std::nullopt}, std::move(y), {}, {}};
}

}  // namespace

LiveSeries::LiveSeries(const results::RunDescription& run) {
  for (const results::PoolDescription& pool : run.pools) pools_.push_back(pool.name);
  open_.pools.resize(pools_.size());
}

void LiveSeries::add(std::span<const results::RequestOutcome> requests) {
  for (const results::RequestOutcome& request : requests) {
    ++requests_;
    ++open_.requests;
    open_.outputTokens += request.output_tokens;
    if (request.output_tokens > 0) open_.ttft_s.push_back(static_cast<float>(request.ttft().seconds()));
    if (request.output_tokens > 1) open_.tpot_s.push_back(static_cast<float>(request.tpot().seconds()));
  }
}

void LiveSeries::add(const results::LiveSample& sample) {
  now_s_ = sample.at.seconds();
  ++open_.samples;
  open_.power_w += sample.it_power_w;
  for (std::size_t i = 0; i < std::min(open_.pools.size(), sample.pools.size()); ++i) {
    open_.pools[i].batch += static_cast<double>(sample.pools[i].batch);
    open_.pools[i].waiting += static_cast<double>(sample.pools[i].waiting);
    open_.pools[i].kv += sample.pools[i].kv_fraction;
  }
  if (now_s_ - open_.from_s >= binLength_s_) close(sample);
}

void LiveSeries::close(const results::LiveSample& sample) {
  open_.to_s = sample.at.seconds();
  if (open_.to_s <= open_.from_s) return;
  bins_.push_back(std::exchange(open_, {}));
  open_.from_s = bins_.back().to_s;
  open_.pools.resize(pools_.size());
  if (bins_.size() == mostBins) halve();
}

void LiveSeries::halve() {
  std::vector<Bin> halved;
  for (std::size_t i = 0; i + 1 < bins_.size(); i += 2) {
    Bin one = std::move(bins_[i]);
    Bin& two = bins_[i + 1];
    one.to_s = two.to_s;
    one.requests += two.requests;
    one.outputTokens += two.outputTokens;
    one.samples += two.samples;
    one.power_w += two.power_w;
    for (std::size_t p = 0; p < one.pools.size(); ++p) {
      one.pools[p].batch += two.pools[p].batch;
      one.pools[p].waiting += two.pools[p].waiting;
      one.pools[p].kv += two.pools[p].kv;
    }
    one.ttft_s.insert(one.ttft_s.end(), two.ttft_s.begin(), two.ttft_s.end());
    one.tpot_s.insert(one.tpot_s.end(), two.tpot_s.begin(), two.tpot_s.end());
    halved.push_back(std::move(one));
  }
  bins_ = std::move(halved);
  binLength_s_ = bins_.back().to_s / static_cast<double>(bins_.size());
}

std::vector<Plot> LiveSeries::plots() const {
  const auto series = [this](std::string name, const std::function<double(const Bin&)>& value, const std::function<bool(const Bin&)>& has) {
    Series made{std::move(name), plots::Shape::line, {}};
    for (const Bin& bin : bins_) {
      if (has(bin)) made.points.push_back({(bin.from_s + bin.to_s) / 2, value(bin)});
    }
    return made;
  };
  const auto always = [](const Bin&) { return true; };
  const auto sampled = [](const Bin& bin) { return bin.samples > 0; };
  const auto length = [](const Bin& bin) { return bin.to_s - bin.from_s; };
  std::vector<Plot> made;

  Plot throughput = plotOverTime("live_tokens", "Output tokens", "Output tokens of requests by the time they left.", {"Tokens per second", "1/s"});
  throughput.series.push_back(series("Tokens per second", [&](const Bin& b) { return static_cast<double>(b.outputTokens) / length(b); }, always));
  made.push_back(std::move(throughput));

  Plot requests = plotOverTime("live_requests", "Completions", "Requests that left, per second.", {"Requests per second", "1/s"});
  requests.series.push_back(series("Requests per second", [&](const Bin& b) { return static_cast<double>(b.requests) / length(b); }, always));
  made.push_back(std::move(requests));

  const auto latency = [&](const char* id, const char* title, const char* caption, std::vector<float> Bin::*values) {
    Plot plot = plotOverTime(id, title, caption, {"Latency", "s", Scale::logarithmic, false, std::nullopt});
    const auto any = [values](const Bin& bin) { return !(bin.*values).empty(); };
    plot.series.push_back(series("p50", [values](const Bin& b) { return quantile(b.*values, 0.5); }, any));
    plot.series.push_back(series("p99", [values](const Bin& b) { return quantile(b.*values, 0.99); }, any));
    made.push_back(std::move(plot));
  };
  latency("live_ttft", "TTFT", "Time to first token of the requests that left in each part of the run.", &Bin::ttft_s);
  latency("live_tpot", "TPOT", "Time per output token of the requests that left in each part of the run.", &Bin::tpot_s);

  const auto ofPools = [&](const char* id, const char* title, const char* caption, Axis axis, double PoolMeans::*value) {
    Plot plot = plotOverTime(id, title, caption, std::move(axis));
    for (std::size_t pool = 0; pool < pools_.size(); ++pool) {
      plot.series.push_back(series(pools_[pool], [pool, value](const Bin& b) { return b.pools[pool].*value / b.samples; }, sampled));
    }
    made.push_back(std::move(plot));
  };
  ofPools("live_queue", "Queue", "Requests that wait at the instances.", {"Requests", ""}, &PoolMeans::waiting);
  ofPools("live_batch", "Batch", "Sequences in the steps under way, over all instances of a pool.", {"Sequences", ""}, &PoolMeans::batch);
  ofPools("live_kv", "KV cache", "Share of the KV memory in use.", {"Used", "fraction", Scale::linear, true, 1.0}, &PoolMeans::kv);

  Plot power = plotOverTime("live_power", "IT power", "As the last steps left it.", {"Power", "W"});
  power.series.push_back(series("IT power", [](const Bin& b) { return b.power_w / b.samples; }, [](const Bin& b) { return b.samples > 0 && b.power_w > 0; }));
  made.push_back(std::move(power));

  std::erase_if(made, [](const Plot& plot) { return std::ranges::all_of(plot.series, [](const Series& s) { return s.points.empty(); }); });
  return made;
}

}  // namespace rackwright::gui
