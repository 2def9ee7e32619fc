#include "sim/metrics/summary_collector.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "models/base/invariant.h"
#include "sim/metrics/stretch_clip.h"

namespace rackwright::metrics {
namespace {

std::optional<results::DurationStatistics> statistics_of(DurationDistribution& values) {
  if (values.count() == 0) return std::nullopt;
  return values.statistics();
}

}  // namespace

SummaryCollector::SummaryCollector(const results::RunDescription& run, const RunLayout& layout)
    : run_(run), window_(layout.window), slo_(run.classes), stations_(run.stations.size()), pools_(run.pools.size()), exposed_(run.pools.size()), power_is_known_(layout.power_is_known), power_(layout, run.racks.size()) {
  if (layout.has_chains) chains_.emplace(window_);
  for (const InstanceLayout& instance : layout.instances) {
    invariant(instance.pool < pools_.size(), "an instance belongs to a pool that is not described");
    if (instance.off_power_mw) pools_[instance.pool].expect_powered();
  }
}

void SummaryCollector::on_request(const RequestOutcome& request) {
  count(request.outcome);
  ++by_cause_[static_cast<std::size_t>(request.cause)];
  const bool completed = request.outcome == Outcome::completed;
  invariant(request.pool < pools_.size(), "a request was served by a pool that is not described");
  pools_[request.pool].add_preemptions(request.preemptions);
  if (completed && request.last_token >= window_.from && request.last_token < window_.to) {
    ++finished_;
    input_tokens_ += request.input_tokens;
    output_tokens_ += request.output_tokens + request.other_tokens;
    if (run_.pools[request.pool].quality) {
      quality_ += *run_.pools[request.pool].quality;
      ++with_quality_;
    }
  }
  if (chains_) chains_->add(request);
  if (request.arrival < window_.from || request.arrival >= window_.to) return;
  ++arrived_in_window_;
  slo_.add(request);
  if (!completed) return;
  queue_.add(request.queue());
  ttft_.add(request.ttft());
  e2e_.add(request.e2e());
  if (request.output_tokens >= 2) tpot_.add(request.tpot());
  if (request.first_visible) first_visible_.add(*request.first_visible - request.arrival);
  voice_.add(request);
  if (request.kv_exposed) {
    kv_exposed_.add(*request.kv_exposed);
    kv_exposed_ps_ += request.kv_exposed->ps;
  }
  if (run_.pools[request.pool].prefix_cache) {
    cache_hit_tokens_ += request.cached_input_tokens;
    cache_lookup_tokens_ += request.input_tokens;
  }
  if (request.logged.first_token) logged_ttft_.add(request.ttft(), *request.logged.first_token - request.arrival);
  if (request.logged.completion) logged_e2e_.add(request.e2e(), *request.logged.completion - request.arrival);
}

void SummaryCollector::count_powered(SimTime end) {
  const auto add = [&](const PoweredInterval& interval) {
    const Interval inside = clip(interval.start, interval.end, window_);
    if (inside.length().ps <= 0) return;
    power_.add_powered(interval.instance, inside.start, inside.end);
    pools_[interval.pool].add_powered(inside.length());
  };
  powered_.hand_out(add, end);
}

void SummaryCollector::on_stretch(const Stretch& stretch) {
  count_powered(SimTime::max());
  const Interval inside = clip(stretch.start, stretch.end, window_);
  const SimTime busy = inside.length();
  if (busy.ps <= 0) return;
  const std::int64_t before = window_.all() ? 0 : steps_ended(stretch, inside.start);
  const std::int64_t until = window_.all() ? stretch.steps : steps_ended(stretch, inside.end);
  const std::int64_t steps = until - before;
  pools_[stretch.pool].add(stretch, busy, steps);
  power_.add(stretch.instance, inside.start, inside.end, stretch.cost.power_mw);
  provenance_.add(stretch, busy, before, until);
  bound_.add(stretch, busy, steps);
  exposed_[stretch.pool].add(stretch, busy, steps, whole_ps(stretch.cost.parts.link_s));
}

void SummaryCollector::on_token_gaps(const TokenGaps& gaps) {
  const TokenGaps inside = clip(gaps, window_);
  itl_.add_run(inside.first, inside.growth, inside.count, inside.sequences);
}

void SummaryCollector::on_station_use(const StationUse& use) {
  const Interval inside = clip(use.start, use.end, window_);
  if (inside.length().ps <= 0) return;
  stations_[use.station].add(use, inside.length());
  power_.add_station(use.device, inside.start, inside.end, use.power_mw);
}

void SummaryCollector::on_station_job(const StationJob& job) {
  if (job.ended >= window_.from && job.ended < window_.to) stations_[job.station].add(job);
}

void SummaryCollector::set_network(double bytes, std::vector<results::LinkLoad> links) {
  network_bytes_ = bytes;
  links_ = std::move(links);
}

results::RunSummary SummaryCollector::summary(const RunEnd& end, std::vector<std::string> warnings) {
  invariant(requests_done() + end.requests_in_flight == end.requests_total,
            "requests in = completed + rejected + failed + cancelled + in flight");
  count_powered(end.last_event);
  const Interval measured = clip(end.first_arrival, end.last_event, window_);
  const double measured_s = measured.length().seconds();

  results::RunSummary summary;
  summary.status = end.status;
  summary.status_reason = end.status_reason;
  summary.requests = counts_;
  summary.requests.total = end.requests_total;
  summary.requests.in_flight = end.requests_in_flight;
  summary.duration_s = (end.last_event - end.first_arrival).seconds();
  if (!window_.all()) {
    summary.window = {measured.start.seconds(), measured.end.seconds(), arrived_in_window_};
  }
  summary.ttft_s = statistics_of(ttft_);
  summary.tpot_s = statistics_of(tpot_);
  summary.itl_s = statistics_of(itl_);
  summary.e2e_s = statistics_of(e2e_);
  summary.queue_s = statistics_of(queue_);
  summary.first_visible_s = statistics_of(first_visible_);
  if (measured_s > 0) {
    summary.requests_per_s = static_cast<double>(finished_) / measured_s;
    summary.input_tokens_per_s = static_cast<double>(input_tokens_) / measured_s;
    summary.output_tokens_per_s = static_cast<double>(output_tokens_) / measured_s;
  }
  summary.slo = slo_.summary(measured_s);
  for (std::size_t pool = 0; pool < pools_.size(); ++pool) {
    summary.pools.push_back(pools_[pool].summary(run_.pools[pool], measured.length()));
    if (power_is_known_) summary.pools.back().energy_j = power_.pool_energy_j(pool, measured.length());
  }
  for (std::size_t i = 0; i < stations_.size(); ++i) {
    summary.stations.push_back(stations_[i].summary(run_.stations[i], measured.length()));
    if (power_is_known_) summary.stations.back().energy_j = power_.pool_energy_j(run_.pools.size() + i, measured.length());
  }
  if (chains_) summary.chains = chains_->summary();
  summary.voice = voice_.summary();
  const bool caching = std::ranges::any_of(run_.pools, &results::PoolDescription::prefix_cache);
  if (caching || !end.kv_tiers.empty()) summary.prefix_cache = {cache_hit_tokens_, cache_lookup_tokens_, end.kv_tiers};
  add_network(summary);
  if (power_is_known_) summary.it = it_power(measured.length());
  if (summary.it && with_quality_ > 0 && with_quality_ == finished_ && summary.it->energy_j > 0)
    summary.quality = {quality_ / static_cast<double>(finished_), quality_ / static_cast<double>(finished_) / summary.it->mean_w,
                       quality_ / summary.it->energy_j};
  summary.provenance = provenance_.shares();
  summary.bound = bound_.shares();
  summary.logged_ttft = logged_ttft_.summary();
  summary.logged_e2e = logged_e2e_.summary();
  summary.warnings = std::move(warnings);
  for (std::size_t cause = 1; cause < by_cause_.size(); ++cause) {
    if (by_cause_[cause] == 0) continue;
    summary.warnings.push_back(fmt::format("{} of {} requests {}", by_cause_[cause], end.requests_total, phrase(static_cast<results::Cause>(cause))));
  }
  return summary;
}

std::vector<results::DurationCurve> SummaryCollector::curves() {
  std::vector<results::DurationCurve> curves;
  const auto draw = [&](const char* metric, DurationDistribution& values) {
    if (values.count() == 0) return;
    results::DurationCurve curve{metric, values.count(), values.exact(), {}};
    for (const SimTime value : values.quantiles(results::curve_probabilities)) curve.values_s.push_back(value.seconds());
    curves.push_back(std::move(curve));
  };
  draw("ttft", ttft_);
  draw("tpot", tpot_);
  draw("itl", itl_);
  draw("e2e", e2e_);
  draw("queue", queue_);
  draw("first_visible", first_visible_);
  draw("first_audio", voice_.first_audio());
  return curves;
}

void SummaryCollector::count(Outcome outcome) {
  switch (outcome) {
    case Outcome::completed: ++counts_.completed; break;
    case Outcome::rejected: ++counts_.rejected; break;
    case Outcome::failed: ++counts_.failed; break;
    case Outcome::cancelled: ++counts_.cancelled; break;
  }
}

results::ItPower SummaryCollector::it_power(SimTime measured) {
  const PowerTally::Totals all = power_.all(measured);
  results::ItPower it{all.energy_j, std::nullopt, std::nullopt, all.mean_w, all.peak_w, {}};
  if (output_tokens_ > 0) it.per_output_token_j = all.energy_j / static_cast<double>(output_tokens_);
  if (finished_ > 0) it.per_request_j = all.energy_j / static_cast<double>(finished_);
  for (std::size_t i = 0; i < run_.racks.size(); ++i) {
    const PowerTally::Totals totals = power_.rack(i, measured);
    const results::RackDescription& rack = run_.racks[i];
    results::RackPower power{rack.name, totals.mean_w, totals.peak_w, rack.power_budget_w, std::nullopt};
    if (rack.height_u && *rack.height_u > 0) power.density_w_per_u = totals.peak_w / *rack.height_u;
    it.racks.push_back(power);
  }
  return it;
}

void SummaryCollector::add_network(results::RunSummary& summary) {
  if (!network_bytes_ && bound_.link_ps() == 0 && kv_exposed_.count() == 0) return;
  results::NetworkSummary network;
  network.bytes = network_bytes_;
  network.exposed_s = static_cast<double>(bound_.link_ps() + kv_exposed_ps_) / 1e12;
  if (kv_exposed_.count() > 0) network.kv = {kv_exposed_.count(), kv_exposed_.statistics()};
  if (bound_.busy_ps() > 0) network.share_of_busy = static_cast<double>(bound_.link_ps()) / static_cast<double>(bound_.busy_ps());
  network.links = links_;
  for (std::size_t i = 0; i < exposed_.size(); ++i)
    if (exposed_[i].any()) network.pools.push_back(exposed_[i].summary(run_.pools[i].name));
  summary.network = network;
}

}  // namespace rackwright::metrics
