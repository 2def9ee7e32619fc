#include "tests/differential/nccl_rows.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "models/cost/collective_fit.h"
#include "tests/differential/published_nccl.h"

namespace rackwright::test {
namespace {

NetworkSeries fitted(const PublishedNccl& published, const cost::NodeSwitch& shared) {
  std::vector<cost::SizedTime> rows;
  for (std::size_t i = 0; i < published.us.size(); ++i) rows.push_back({published.bytes[i], published.us[i] * 1e-6});
  std::vector<cost::SizedTime> chosen;
  const std::vector<std::size_t> calibration = cost::calibration_rows(rows, published.span, shared);
  for (const std::size_t i : calibration) chosen.push_back(rows[i]);
  const cost::CollectiveFit fit = cost::fit_collective(chosen, published.span, shared);
  const bool inside = published.span == cost::CollectiveSpan::domain;
  const char* method = inside ? "t = start + S / rate + ramp √S through the smallest row, the largest, and the one nearest to sixteen times the knee"
                              : "t = start + S / rate + switch (1 − exp(−(S / E)²)) through the last row within 1.3 times the quickest, the largest, and the "
                                "one that start and rate through those two miss most";
  // Few rows, or a step in them, make a median of its own: over all series between nodes together it is below 10 %.
  NetworkSeries series{published.title, published.source, method, inside ? 0.10 : 0.18, 0.30, {}};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool is_fitted = std::ranges::find(calibration, i) != calibration.end();
    series.rows.push_back({size_label(rows[i].bytes), published.us[i], fit.seconds(rows[i].bytes) * 1e6, is_fitted ? RowUse::calibration : RowUse::check});
  }
  return series;
}

std::vector<PublishedNccl> between_nodes() {
  std::vector<PublishedNccl> all = published_nccl();
  std::erase_if(all, [](const PublishedNccl& one) { return one.span == cost::CollectiveSpan::domain; });
  return all;
}

std::vector<cost::NodeSwitch> candidates() {
  std::vector<cost::NodeSwitch> all;
  for (const double tolerance : {1.2, 1.25, 1.3, 1.35, 1.4})
    for (int share = 40; share <= 100; share += 5) all.push_back({tolerance, share / 100.0});
  return all;
}

/// The middle of the candidates whose worst error is within half a percent of the least. `worst` by series and candidate.
cost::NodeSwitch chosen_without(std::size_t left_out, const std::vector<std::vector<double>>& worst) {
  const std::vector<cost::NodeSwitch> all = candidates();
  std::vector<double> over_series(all.size());
  for (std::size_t s = 0; s < worst.size(); ++s)
    for (std::size_t c = 0; c < all.size() && s != left_out; ++c) over_series[c] = std::max(over_series[c], worst[s][c]);
  const double least = std::ranges::min(over_series);
  cost::NodeSwitch sum{0, 0};
  double count = 0;
  for (std::size_t c = 0; c < all.size(); ++c) {
    if (over_series[c] > least + 0.005) continue;
    sum.start_tolerance += all[c].start_tolerance;
    sum.size_share += all[c].size_share;
    ++count;
  }
  return {sum.start_tolerance / count, sum.size_share / count};
}

}  // namespace

std::vector<LeftOut> left_out_series() {
  const std::vector<PublishedNccl> all = between_nodes();
  std::vector<std::vector<double>> worst;
  for (const PublishedNccl& one : all) {
    std::vector<double>& row = worst.emplace_back();
    for (const cost::NodeSwitch& candidate : candidates()) row.push_back(fitted(one, candidate).worst());
  }
  std::vector<LeftOut> result;
  for (std::size_t s = 0; s < all.size(); ++s) {
    const cost::NodeSwitch without = chosen_without(s, worst);
    result.push_back({all[s].title, without, fitted(all[s], {}), fitted(all[s], without)});
  }
  return result;
}

std::vector<NetworkSeries> nccl_series() {
  std::vector<NetworkSeries> all;
  for (const PublishedNccl& one : published_nccl()) all.push_back(fitted(one, {}));
  return all;
}

}  // namespace rackwright::test
