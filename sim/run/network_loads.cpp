#include "sim/run/network_loads.h"

#include <algorithm>
#include <cmath>

namespace rackwright::run {

void NetworkLoads::on_traffic(std::size_t link_class, double bytes, SimTime from, SimTime to) {
  const double start_s = from.seconds();
  const double end_s = to.seconds();
  while (!has_fixed_period_ && end_s >= period_s_ * most_bins) double_period();
  std::vector<double>& bins = bytes_[link_class];
  const auto first = static_cast<std::size_t>(start_s / period_s_);
  const auto last = static_cast<std::size_t>(end_s / period_s_);
  if (bins.size() <= last) bins.resize(last + 1);
  if (first == last || end_s <= start_s) {
    bins[last] += bytes;
    return;
  }
  for (std::size_t bin = first; bin <= last; ++bin) {
    const double begin_s = static_cast<double>(bin) * period_s_;
    const double part_s = std::min(end_s, begin_s + period_s_) - std::max(start_s, begin_s);
    bins[bin] += bytes * std::max(0.0, part_s) / (end_s - start_s);
  }
}

void NetworkLoads::double_period() {
  for (std::vector<double>& bins : bytes_) {
    std::vector<double> halved((bins.size() + 1) / 2);
    for (std::size_t bin = 0; bin < bins.size(); ++bin) halved[bin / 2] += bins[bin];
    bins = std::move(halved);
  }
  period_s_ *= 2;
}

void NetworkLoads::add_to(results::Timeline& timeline, const std::vector<fabric::LinkClassLoad>& classes) const {
  const std::size_t bins = timeline.bins();
  if (bins == 0) return;
  for (std::size_t c = 0; c < bytes_.size(); ++c) {
    const std::vector<double>& carried = bytes_[c];
    if (std::ranges::all_of(carried, [](double bytes) { return bytes == 0; })) continue;
    std::string name = classes[c].name;
    std::ranges::replace(name, ' ', '_');
    results::TimelineSeries series{"network." + name + ".utilization", std::vector<double>(bins)};
    for (std::size_t own = 0; own < carried.size(); ++own) {
      // A bin of ours lies in one of the timeline, or is shared by several of it.
      const double begin_s = static_cast<double>(own) * period_s_;
      const auto first = std::min(bins - 1, static_cast<std::size_t>(begin_s / timeline.period_s));
      const auto covered = std::max(1.0, std::round(period_s_ / timeline.period_s));
      const std::size_t last = std::min(bins - 1, first + static_cast<std::size_t>(covered) - 1);
      for (std::size_t bin = first; bin <= last; ++bin) series.values[bin] += carried[own] / static_cast<double>(last - first + 1);
    }
    for (std::size_t bin = 0; bin < bins; ++bin) {
      const double begin_s = static_cast<double>(bin) * timeline.period_s;
      const double length_s = std::min(timeline.period_s, timeline.end_s - begin_s);
      if (length_s > 0) series.values[bin] /= classes[c].bytes_per_s * length_s;
    }
    timeline.series.push_back(std::move(series));
  }
}

}  // namespace rackwright::run
