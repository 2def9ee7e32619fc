#include "models/cost/transfer_mechanism.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "models/base/invariant.h"

namespace rackwright::cost {
namespace {

constexpr std::array<std::string_view, transfer_mechanism_count> names{"copy-engine", "sm-stores", "tma", "rdma", "tcp"};

/// The line through two points of a curve in logarithms.
double between(const TransferPoint& a, const TransferPoint& b, double bytes) {
  const double share = std::log(bytes / a.bytes) / std::log(b.bytes / a.bytes);
  return a.seconds * std::pow(b.seconds / a.seconds, share);
}

double curve_seconds(const std::vector<TransferPoint>& curve, double bytes) {
  if (bytes <= curve.front().bytes) return curve.front().seconds;
  const auto right = std::ranges::lower_bound(curve, bytes, {}, &TransferPoint::bytes);
  if (right != curve.end()) return between(*(right - 1), *right, bytes);
  const TransferPoint& last = curve.back();
  const TransferPoint& before = curve[curve.size() - 2];
  return last.seconds + (bytes - last.bytes) * (last.seconds - before.seconds) / (last.bytes - before.bytes);
}

}  // namespace

std::string_view to_string(TransferMechanism mechanism) { return names[static_cast<std::size_t>(mechanism)]; }

std::optional<TransferMechanism> parse_transfer_mechanism(std::string_view name) {
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) return std::nullopt;
  return static_cast<TransferMechanism>(found - names.begin());
}

bool is_device_initiated(TransferMechanism mechanism) {
  return mechanism != TransferMechanism::rdma && mechanism != TransferMechanism::tcp;
}

TransferSpec published_transfer(TransferMechanism mechanism, std::string_view technology) {
  const bool blackwell = technology == "nvlink5" || technology == "nvlink6";
  TransferSpec spec;
  spec.mechanism = mechanism;
  switch (mechanism) {
    case TransferMechanism::copy_engine:
      spec.start_s = 2.8e-6;
      spec.link_fraction = blackwell ? 0.81 : 0.82;
      break;
    case TransferMechanism::sm_stores:
      spec.start_s = 1e-6;
      spec.link_fraction = blackwell ? 0.70 : 0.76;
      spec.sms = 76;
      break;
    case TransferMechanism::tma:
      spec.start_s = 1e-6;
      spec.link_fraction = blackwell ? 0.74 : 0.78;
      spec.sms = 15;
      break;
    case TransferMechanism::rdma:
      spec.start_s = 5e-6;
      spec.link_fraction = 0.87;
      break;
    case TransferMechanism::tcp:
      spec.start_s = 30e-6;
      spec.link_fraction = 0.87 / 2.4;
      spec.node_bytes_per_s = 190e9 / 4.6;
      break;
  }
  return spec;
}

TransferTerms transfer_terms(const TransferSpec& spec, double bytes, double link_bytes_per_s) {
  const double most = spec.link_fraction * link_bytes_per_s;
  if (spec.curve.empty()) return {spec.start_s, most};
  const double scale = spec.curve_bytes_per_s > 0 ? link_bytes_per_s / spec.curve_bytes_per_s : 1;
  const double start_s = spec.curve.front().seconds;
  const double moving_s = curve_seconds(spec.curve, bytes) - start_s;
  // A transfer no longer than the shortest one measured takes as long as that one.
  if (!(moving_s > 0)) return {start_s, link_bytes_per_s};
  return {start_s, std::min(bytes / moving_s * scale, link_bytes_per_s)};
}

TransferCurves choose_curves(std::vector<TransferSeries> series, double link_bytes_per_s) {
  for (TransferSeries& one : series) std::ranges::sort(one.points, {}, &TransferPoint::bytes);
  std::erase_if(series, [](const TransferSeries& one) { return one.points.size() < 2; });
  const auto rate = [](const TransferSeries& one) { return one.points.back().bytes / one.points.back().seconds; };
  std::array<double, transfer_mechanism_count> best{};
  for (const TransferSeries& one : series) {
    double& most = best[static_cast<std::size_t>(one.mechanism)];
    most = std::max(most, rate(one));
  }
  std::ranges::stable_sort(series, {}, &TransferSeries::sms);
  TransferCurves curves;
  for (const TransferSeries& one : series) {
    const auto index = static_cast<std::size_t>(one.mechanism);
    if (curves[index] || rate(one) < 0.95 * best[index]) continue;
    TransferSpec& spec = curves[index].emplace();
    spec.mechanism = one.mechanism;
    spec.start_s = one.points.front().seconds;
    spec.link_fraction = rate(one) / link_bytes_per_s;
    spec.sms = one.sms;
    spec.curve = one.points;
    spec.curve_bytes_per_s = link_bytes_per_s;
    spec.provenance = Provenance::measured;
  }
  return curves;
}

TransferSpec fit_transfer(TransferMechanism mechanism, std::vector<TransferPoint> rows, double link_bytes_per_s) {
  // Weighted by 1/t²: errors count in proportion.
  double w = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (const TransferPoint& row : rows) {
    const double weight = 1 / (row.seconds * row.seconds);
    w += weight;
    x += weight * row.bytes;
    y += weight * row.seconds;
    xx += weight * row.bytes * row.bytes;
    xy += weight * row.bytes * row.seconds;
  }
  const double spread = w * xx - x * x;
  invariant(rows.size() >= 2 && spread > 0, "a line needs rows of two sizes");
  double slope = (w * xy - x * y) / spread;
  double start = (y - slope * x) / w;
  if (start < 0) {
    start = 0;
    slope = xy / xx;
  }
  TransferSpec spec;
  spec.mechanism = mechanism;
  spec.start_s = start;
  spec.link_fraction = 1 / (slope * link_bytes_per_s);
  spec.provenance = Provenance::calibrated;
  return spec;
}

}  // namespace rackwright::cost
