#include "tests/differential/repeated_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "models/cost/csv_table.h"

namespace rackwright::test {
namespace {

/// The least by which a median may move, relative to itself (models/kernels/profiles/nvidia-h200/README.md).
constexpr double least_tolerance = 0.03;

struct TimedPoint {
  double median_us = 0;
  double spread_us = 0;
};
/// By mode and shape.
using TimedPoints = std::map<std::pair<std::string, std::string>, TimedPoint>;

TimedPoints timed_points(const std::filesystem::path& file, Diagnostics& diagnostics) {
  const cost::CsvTable table = cost::CsvTable::read(file, diagnostics);
  TimedPoints points;
  if (!table.has_column("mode") || !table.has_column("median_us")) return points;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    if (!table.text(i, "skip").empty()) continue;
    std::string shape;
    for (const std::string& column : table.columns()) {
      if (column == "mode") break;  // The result follows.
      shape += fmt::format("{}{}", shape.empty() ? "" : ",", table.text(i, column));
    }
    const TimedPoint point{table.number(i, "median_us", diagnostics), table.number(i, "p90_us", diagnostics) - table.number(i, "p10_us", diagnostics)};
    points.emplace(std::pair(std::string(table.text(i, "mode")), std::move(shape)), point);
  }
  return points;
}

void add_file(const std::string& family, const TimedPoints& before, const TimedPoints& again, std::vector<RepeatedFamily>& families) {
  std::map<std::string, std::vector<double>> differences;
  std::map<std::string, RepeatedFamily> by_mode;
  for (const auto& [key, point] : before) {
    const auto found = again.find(key);
    if (found == again.end()) continue;
    const auto& [mode, shape] = key;
    RepeatedFamily& one = by_mode[mode];
    const double moved_us = found->second.median_us - point.median_us;
    const double difference = moved_us / point.median_us;
    ++one.points;
    if (std::abs(moved_us) <= std::max(point.spread_us, least_tolerance * point.median_us)) ++one.repeat;
    if (std::abs(difference) >= std::abs(one.worst_difference)) {
      one.worst_difference = difference;
      one.worst = shape;
    }
    differences[mode].push_back(difference);
  }
  for (auto& [mode, one] : by_mode) {
    std::vector<double>& all = differences[mode];
    std::ranges::sort(all);
    one.median_difference = all[(all.size() - 1) / 2];
    one.family = family;
    one.mode = mode;
    families.push_back(std::move(one));
  }
}

}  // namespace

std::vector<RepeatedFamily> repeated_families(const std::filesystem::path& before, const std::filesystem::path& again, Diagnostics& diagnostics) {
  std::set<std::filesystem::path> names;
  for (const auto& entry : std::filesystem::directory_iterator(before))
    if (entry.path().extension() == ".csv" && std::filesystem::exists(again / entry.path().filename())) names.insert(entry.path().filename());
  std::vector<RepeatedFamily> families;
  for (const std::filesystem::path& name : names)
    add_file(name.stem().string(), timed_points(before / name, diagnostics), timed_points(again / name, diagnostics), families);
  return families;
}

std::string text_of(const std::vector<RepeatedFamily>& families) {
  std::string text = "| family | mode | points | repeat | median difference | worst | of |\n|---|---|---:|---:|---:|---:|---|\n";
  for (const RepeatedFamily& one : families)
    text += fmt::format("| {} | {} | {} | {:.1f} % | {:+.1f} % | {:+.1f} % | {} |\n", one.family, one.mode, one.points, one.share() * 100,
                        one.median_difference * 100, one.worst_difference * 100, one.worst);
  return text;
}

}  // namespace rackwright::test
