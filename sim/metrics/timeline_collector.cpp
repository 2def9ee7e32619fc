#include "sim/metrics/timeline_collector.h"

#include <algorithm>
#include <utility>

#include "models/base/invariant.h"
#include "sim/metrics/pool_tally.h"
#include "sim/metrics/power_tally.h"
#include "sim/metrics/stretch_clip.h"

namespace rackwright::metrics {
namespace {

/// ∫ tokens with KV from the stretch's start to `when`. With T the tokens at the end of the first step, m
/// more each step, and step k lasting d + k · g, the first n steps give
///   Σ (T + k m)(d + k g) = n T d + (T g + m d) n (n − 1) / 2 + m g (n − 1) n (2n − 1) / 6.
Int128 kv_token_ps(const Stretch& s, SimTime when) {
  const Int128 n = steps_ended(s, when);
  const Int128 d = s.cost.duration.ps;
  const Int128 g = s.cost.growth.ps;
  const Int128 m = s.decode_sequences;
  const Int128 first = s.kv_tokens - (s.steps - 1) * m;
  const Int128 whole = n * first * d + (first * g + m * d) * (n * (n - 1) / 2) + m * g * ((n - 1) * n * (2 * n - 1) / 6);
  const SimTime step_began = step_start(s, static_cast<std::int64_t>(n));
  return whole + (first + n * m) * (when - step_began).ps;
}

}  // namespace

TimelineCollector::TimelineCollector(const results::RunDescription& run, const RunLayout& layout,
                                     std::optional<SimTime> period)
    : run_(run), layout_(layout), fixed_period_(period.has_value()), period_(period.value_or(sim_time(1))),
      kv_capacity_tokens_(run.pools.size()) {
  invariant(period_.ps > 0, "a timeline has a period above zero");
}

void TimelineCollector::on_request(const RequestOutcome& request) {
  cell(bin_at(request.arrival), arrivals) += 1;
  if (request.outcome != Outcome::completed) return;
  cell(bin_at(request.first_token), first_tokens) += 1;
  cell(bin_at(request.last_token), completions) += 1;
}

void TimelineCollector::add_powered(const PoweredInterval& interval) {
  const InstanceLayout& instance = layout_.instances[interval.instance];
  const std::int64_t above_mw = instance.idle_power_mw - instance.off_power_mw.value_or(instance.idle_power_mw);
  const std::size_t last = bin_at({interval.end.ps - 1});
  for (std::size_t bin = bin_at(interval.start); bin <= last; ++bin) {
    const SimTime begin = static_cast<std::int64_t>(bin) * period_;
    const SimTime from = std::max(interval.start, begin);
    const SimTime to = std::min(interval.end, begin + period_);
    cell(bin, pool_column(interval.pool, PoolColumn::powered)) += (to - from).ps;
    add_power(bin, instance, to - from, above_mw);
  }
}

void TimelineCollector::on_station_use(const StationUse& use) {
  if (use.end <= use.start) return;
  const InstanceLayout& device = layout_.station_devices[use.device];
  const std::size_t last = bin_at({use.end.ps - 1});
  for (std::size_t bin = bin_at(use.start); bin <= last; ++bin) {
    const SimTime begin = static_cast<std::int64_t>(bin) * period_;
    const SimTime length = std::min(use.end, begin + period_) - std::max(use.start, begin);
    cell(bin, station_column(use.station)) += Int128{use.busy_workers} * length.ps;
    add_power(bin, device, length, use.power_mw - device.idle_power_mw);
  }
}

void TimelineCollector::add_power(std::size_t bin, const InstanceLayout& instance, SimTime length, std::int64_t above_mw) {
  cell(bin, power) += Int128{length.ps} * above_mw;
  share_by_devices(instance.placements, above_mw,
                   [&](std::uint32_t rack, std::int64_t mw) { cell(bin, rack_column(rack)) += Int128{length.ps} * mw; });
}

void TimelineCollector::on_stretch(const Stretch& stretch) {
  powered_.hand_out([&](const PoweredInterval& interval) { add_powered(interval); });
  if (stretch.end <= stretch.start) return;
  kv_capacity_tokens_[stretch.pool] = stretch.kv_blocks * run_.pools[stretch.pool].kv_block_tokens;
  // The last instant first: what makes room may double the period.
  const std::size_t last = bin_at({stretch.end.ps - 1});
  for (std::size_t bin = bin_at(stretch.start); bin <= last; ++bin) {
    const SimTime begin = static_cast<std::int64_t>(bin) * period_;
    add_part(stretch, bin, std::max(stretch.start, begin), std::min(stretch.end, begin + period_));
  }
}

void TimelineCollector::add_part(const Stretch& stretch, std::size_t bin, SimTime from, SimTime to) {
  const Int128 length = (to - from).ps;
  const std::int64_t steps = steps_ended(stretch, to) - (from == stretch.start ? 0 : steps_ended(stretch, from));
  const auto pool = [&](PoolColumn column) -> Int128& { return cell(bin, pool_column(stretch.pool, column)); };
  pool(busy) += length;
  pool(sequences) += length * (stretch.decode_sequences + stretch.prefill_sequences);
  pool(waiting) += length * stretch.waiting;
  if (stretch.kv_tokens > 0) {
    pool(kv_tokens) += kv_token_ps(stretch, to) - (from == stretch.start ? 0 : kv_token_ps(stretch, from));
  }
  pool(prefilled) += Int128{stretch.prefill_tokens} * steps;
  pool(decoded) += Int128{stretch.decode_sequences} * steps;
  if (stretch.sm_clock < 1) pool(clock_lost) += clock_loss(stretch, to - from);
  const InstanceLayout& instance = layout_.instances[stretch.instance];
  add_power(bin, instance, to - from, stretch.cost.power_mw - instance.idle_power_mw);
}

std::size_t TimelineCollector::bin_at(SimTime when) {
  if (!fixed_period_) {
    while (when.ps / period_.ps >= static_cast<std::int64_t>(most_bins)) double_period();
  }
  const auto bin = static_cast<std::size_t>(when.ps / period_.ps);
  const std::size_t needed = (bin + 1) * columns();
  if (cells_.size() < needed) cells_.resize(needed);
  return bin;
}

void TimelineCollector::double_period() {
  const std::size_t width = columns();
  const std::size_t bins = cells_.size() / width;
  for (std::size_t bin = 0; bin < bins; ++bin) {
    for (std::size_t column = 0; column < width; ++column) {
      const Int128 value = cells_[bin * width + column];
      if (bin % 2 == 0) {
        cells_[bin / 2 * width + column] = value;
      } else {
        cells_[bin / 2 * width + column] += value;
      }
    }
  }
  cells_.resize((bins + 1) / 2 * width);
  period_ += period_;
}

results::Timeline TimelineCollector::timeline(const RunEnd& end) {
  powered_.hand_out([&](const PoweredInterval& interval) { add_powered(interval); }, end.last_event);
  const std::size_t width = columns();
  const std::size_t bins = cells_.size() / width;
  results::Timeline timeline;
  timeline.period_s = period_.seconds();
  const SimTime last_end = std::max(end.last_event, static_cast<std::int64_t>(bins > 0 ? bins - 1 : 0) * period_);
  timeline.end_s = std::min(last_end, static_cast<std::int64_t>(bins) * period_).seconds();

  /// value(bin) / (length of the bin in ps · per), plus a constant.
  const auto add = [&](std::string key, std::size_t column, double per, double constant = 0) {
    results::TimelineSeries series{std::move(key), {}};
    series.values.reserve(bins);
    for (std::size_t bin = 0; bin < bins; ++bin) {
      const bool is_last = bin + 1 == bins;
      const SimTime begin = static_cast<std::int64_t>(bin) * period_;
      const SimTime length = is_last ? std::max(SimTime{1}, std::min(period_, last_end - begin)) : period_;
      const auto value = static_cast<double>(cells_[bin * width + column]);
      series.values.push_back(value / (static_cast<double>(length.ps) * per) + constant);
    }
    timeline.series.push_back(std::move(series));
  };

  constexpr double per_second = 1e-12;
  add("arrivals_per_s", arrivals, per_second);
  add("completions_per_s", completions, per_second);
  add("first_tokens_per_s", first_tokens, per_second);
  double floor_mw = 0;
  std::vector<double> rack_floor_mw(run_.racks.size());
  for (std::size_t rack = 0; rack < layout_.rack_base_power_mw.size(); ++rack) {
    floor_mw += static_cast<double>(layout_.rack_base_power_mw[rack]);
    rack_floor_mw[rack] += static_cast<double>(layout_.rack_base_power_mw[rack]);
  }
  for (const std::vector<InstanceLayout>* group : {&layout_.instances, &layout_.station_devices}) {
    for (const InstanceLayout& instance : *group) {
      const std::int64_t floor = instance.off_power_mw.value_or(instance.idle_power_mw);
      floor_mw += static_cast<double>(floor);
      share_by_devices(instance.placements, floor,
                       [&](std::uint32_t rack, std::int64_t mw) { rack_floor_mw[rack] += static_cast<double>(mw); });
    }
  }
  if (layout_.power_is_known) add("it_power_w", power, 1e3, floor_mw / 1e3);
  for (std::size_t rack = 0; layout_.power_is_known && rack < run_.racks.size(); ++rack) {
    add("racks." + run_.racks[rack].name + ".power_w", rack_column(rack), 1e3, rack_floor_mw[rack] / 1e3);
  }
  for (std::size_t i = 0; i < run_.pools.size(); ++i) {
    const results::PoolDescription& pool = run_.pools[i];
    const std::string prefix = "pools." + pool.name + ".";
    const double instances = std::max<double>(1, pool.instances);
    add(prefix + "utilization", pool_column(i, busy), instances);
    add(prefix + "batch", pool_column(i, sequences), instances);
    add(prefix + "queue", pool_column(i, waiting), 1);
    if (kv_capacity_tokens_[i] > 0) {
      add(prefix + "kv_fraction", pool_column(i, kv_tokens), static_cast<double>(kv_capacity_tokens_[i]) * instances);
    }
    if (std::ranges::any_of(layout_.instances, [&](const InstanceLayout& one) { return one.pool == i && one.off_power_mw; })) {
      add(prefix + "replicas", pool_column(i, PoolColumn::powered), 1);
    }
    add(prefix + "prefill_tokens_per_s", pool_column(i, prefilled), per_second);
    add(prefix + "decode_tokens_per_s", pool_column(i, decoded), per_second);
    add_clock(prefix + "clock", i, timeline);
  }
  for (std::size_t i = 0; i < run_.stations.size(); ++i) {
    const double workers = static_cast<double>(run_.stations[i].devices) * run_.stations[i].workers;
    add("stations." + run_.stations[i].name + ".utilization", station_column(i), workers);
  }
  return timeline;
}

// The mean clock while busy, of pools whose clock a limit has lowered.
void TimelineCollector::add_clock(std::string key, std::size_t pool, results::Timeline& timeline) const {
  const std::size_t width = columns();
  results::TimelineSeries series{std::move(key), {}};
  bool was_lowered = false;
  for (std::size_t first = 0; first < cells_.size(); first += width) {
    const Int128 lost = cells_[first + pool_column(pool, clock_lost)];
    const Int128 time = cells_[first + pool_column(pool, busy)];
    was_lowered = was_lowered || lost > 0;
    series.values.push_back(lost > 0 ? 1 - static_cast<double>(lost) / clock_loss_unit / static_cast<double>(time) : 1);
  }
  if (was_lowered) timeline.series.push_back(std::move(series));
}

}  // namespace rackwright::metrics
