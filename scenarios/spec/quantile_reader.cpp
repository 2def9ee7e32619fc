#include "scenarios/spec/quantile_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "scenarios/schema/workload.pb.h"
#include "scenarios/spec/findings.h"

namespace rackwright::scenarios {
namespace {

/// "p99.5" is 0.995.
std::optional<double> quantile(const std::string& name) {
  double percent = 0;
  const char* end = name.data() + name.size();
  if (name.size() < 2 || name[0] != 'p') return std::nullopt;
  const auto [stop, failure] = std::from_chars(name.data() + 1, end, percent);
  if (failure != std::errc{} || stop != end || percent < 0 || percent > 100) return std::nullopt;
  return percent / 100;
}

template <class Distribution>
traces::QuantileTable table_of(const Distribution& written, const std::string& path, Findings& findings, traces::QuantileTable otherwise) {
  if (written.quantiles_size() == 0) return written.has_fixed() ? traces::QuantileTable::constant(written.fixed()) : std::move(otherwise);
  std::vector<traces::Quantile> quantiles;
  for (const auto& [name, value] : written.quantiles()) {
    const std::optional<double> p = quantile(name);
    if (!p) {
      findings.error(path + ".quantiles", fmt::format("'{}' is not a quantile", name), "write p0, p50, p99.9, p100");
      return otherwise;
    }
    quantiles.push_back({*p, value});
  }
  std::ranges::sort(quantiles, {}, &traces::Quantile::p);
  if (const std::string problem = traces::QuantileTable::problem(quantiles); !problem.empty()) {
    findings.error(path + ".quantiles", problem);
    return otherwise;
  }
  return traces::QuantileTable(std::move(quantiles));
}

}  // namespace

traces::QuantileTable length_table(const v1::Lengths& written, const std::string& path, Findings& findings, traces::QuantileTable otherwise) {
  return table_of(written, path, findings, std::move(otherwise));
}

traces::QuantileTable duration_table(const v1::Durations& written, const std::string& path, Findings& findings) {
  return table_of(written, path, findings, {});
}

}  // namespace rackwright::scenarios
