#include "tests/differential/nccl_rows.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "models/cost/collective_fit.h"
#include "tests/differential/published_nccl.h"

namespace rackwright::test {
namespace {

constexpr double KiB = 1024;
constexpr double MiB = 1024 * KiB;
constexpr double GiB = 1024 * MiB;

std::string size_label(double bytes) {
  if (bytes >= GiB) return fmt::format("{:g} GiB", bytes / GiB);
  return bytes >= MiB ? fmt::format("{:g} MiB", bytes / MiB) : fmt::format("{:g} KiB", bytes / KiB);
}

NetworkSeries fitted(const PublishedNccl& published) {
  std::vector<cost::SizedTime> rows;
  for (std::size_t i = 0; i < published.us.size(); ++i) rows.push_back({published.bytes[i], published.us[i] * 1e-6});
  std::vector<cost::SizedTime> chosen;
  const std::vector<std::size_t> calibration = cost::calibration_rows(rows, published.span);
  for (const std::size_t i : calibration) chosen.push_back(rows[i]);
  const cost::CollectiveFit fit = cost::fit_collective(chosen, published.span);
  const char* method = published.span == cost::CollectiveSpan::domain
                           ? "t = start + S / rate + ramp √S through the smallest row, the largest, and the one nearest to sixteen times the knee"
                           : "The same with a ramp that ends at ten knees, through the last row within a quarter of the quickest, the largest, and one "
                             "two fifths between their times";
  NetworkSeries series{published.title, published.source, method, 0.10, published.worst_bound, {}};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool is_fitted = std::ranges::find(calibration, i) != calibration.end();
    series.rows.push_back({size_label(rows[i].bytes), published.us[i], fit.seconds(rows[i].bytes) * 1e6, is_fitted ? RowUse::calibration : RowUse::check});
  }
  return series;
}

}  // namespace

std::vector<NetworkSeries> nccl_series() {
  std::vector<NetworkSeries> all;
  for (const PublishedNccl& one : published_nccl()) all.push_back(fitted(one));
  return all;
}

}  // namespace rackwright::test
