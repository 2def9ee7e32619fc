#include "sim/cli/calibrate_rows.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/base/invariant.h"
#include "models/base/quantity.h"
#include "models/cost/csv_table.h"
#include "models/cost/nccl_tests_log.h"
#include "sim/cli/console.h"

namespace rackwright::cli {
namespace {

using Series = cost::CollectiveSeries;

struct FittedSeries {
  Series series;
  cost::CollectiveFit fit;
  std::vector<double> check_errors;  ///< Of |modelled / measured − 1|, ascending.

  double median() const { return check_errors.empty() ? 0 : check_errors[(check_errors.size() - 1) / 2]; }
  double worst() const { return check_errors.empty() ? 0 : check_errors.back(); }
};

std::vector<Series> read_series(const cost::CsvTable& table, Diagnostics& diagnostics) {
  std::vector<Series> all;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const std::string op(table.text(i, "op"));
    const int ranks = static_cast<int>(table.number(i, "ranks", diagnostics));
    const int nodes = static_cast<int>(table.number_or(i, "nodes", 1, diagnostics));
    const cost::SizedTime row{table.number(i, "bytes", diagnostics), table.number(i, "us", diagnostics) * 1e-6};
    if (!(row.bytes > 0 && row.seconds > 0)) diagnostics.error(table.where(i), "bytes", "bytes and time must be above zero");
    auto found = std::ranges::find_if(all, [&](const Series& one) { return one.op == op && one.ranks == ranks && one.nodes == nodes; });
    if (found == all.end()) found = all.insert(found, {op, ranks, nodes, {}});
    found->rows.push_back(row);
  }
  return all;
}

std::vector<Series> read_file(const std::string& file, Diagnostics& diagnostics) {
  std::ifstream in(file, std::ios::binary);
  std::string content(std::istreambuf_iterator<char>(in), {});
  if (!in.is_open() || in.bad()) throw EnvironmentError(fmt::format("cannot read a file: {}: {}", file, std::strerror(errno)));
  if (cost::is_nccl_tests_log(content)) return cost::read_nccl_tests_log(file, content, diagnostics);
  const cost::CsvTable table(file, std::move(content), diagnostics);
  if (!table.require({"op", "ranks", "bytes", "us"}, diagnostics)) return {};
  return read_series(table, diagnostics);
}

FittedSeries fitted(const Series& series) {
  const std::vector<std::size_t> calibration = cost::calibration_rows(series.rows, series.span());
  std::vector<cost::SizedTime> chosen;
  for (const std::size_t i : calibration) chosen.push_back(series.rows[i]);
  FittedSeries result{series, cost::fit_collective(chosen, series.span()), {}};
  for (std::size_t i = 0; i < series.rows.size(); ++i) {
    if (std::ranges::find(calibration, i) != calibration.end()) continue;
    const cost::SizedTime& row = series.rows[i];
    result.check_errors.push_back(std::abs(result.fit.seconds(row.bytes) / row.seconds - 1));
  }
  std::ranges::sort(result.check_errors);
  return result;
}

std::string rate_text(const cost::CollectiveFit& fit) {
  return fit.s_per_byte > 0 ? format_quantity(1 / fit.s_per_byte, "B/s", 3) : "";
}

/// "183 us at 333 kB"; nothing inside a domain.
std::string switch_text(const cost::CollectiveFit& fit) {
  return fit.switch_s > 0 ? fmt::format("{} at {}", format_quantity(fit.switch_s, "s", 3), format_quantity(fit.switch_bytes, "B", 3)) : "";
}

/// Null in JSON where large buffers go the way of small ones.
nlohmann::ordered_json switch_bytes(const cost::CollectiveFit& fit) {
  return fit.switch_s > 0 ? nlohmann::ordered_json(fit.switch_bytes) : nlohmann::ordered_json();
}

}  // namespace

ExitCode calibrate_rows(const std::string& file, Console& console) {
  Diagnostics diagnostics;
  const std::vector<Series> series = read_file(file, diagnostics);
  console.show(diagnostics);
  if (diagnostics.has_errors()) return ExitCode::bad_input;
  std::vector<FittedSeries> all;
  for (const Series& one : series) all.push_back(fitted(one));
  if (console.format() == Format::json) {
    auto json = nlohmann::ordered_json::array();
    for (const FittedSeries& one : all)
      json.push_back({{"op", one.series.op}, {"ranks", one.series.ranks}, {"nodes", one.series.nodes}, {"rows", one.series.rows.size()}, {"start_s", one.fit.start_s},
                      {"s_per_byte", one.fit.s_per_byte}, {"s_per_root_byte", one.fit.s_per_root_byte}, {"switch_s", one.fit.switch_s}, {"switch_bytes", switch_bytes(one.fit)},
                      {"check_rows", one.check_errors.size()}, {"median_error", one.median()}, {"worst_error", one.worst()}});
    console.out() << json.dump(2) << '\n';
    return ExitCode::ok;
  }
  report::TextTable text({"Collective", "ranks", "nodes", "rows", "start", "rate", "ramp of 1 MiB", "switch", "check rows", "median error", "worst"});
  for (const FittedSeries& one : all) {
    text.add({one.series.op, std::to_string(one.series.ranks), std::to_string(one.series.nodes), std::to_string(one.series.rows.size()), format_quantity(one.fit.start_s, "s", 3),
              rate_text(one.fit), format_quantity(one.fit.s_per_root_byte * 1024, "s", 3), switch_text(one.fit), std::to_string(one.check_errors.size()),
              fmt::format("{:.1f} %", one.median() * 100), fmt::format("{:.1f} %", one.worst() * 100)});
  }
  console.out() << text.text(console.out_style());
  return ExitCode::ok;
}

}  // namespace rackwright::cli
