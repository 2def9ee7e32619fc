#include "scenarios/spec/generator_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "models/base/names.h"
#include "scenarios/schema/effective.h"
#include "scenarios/schema/workload.pb.h"
#include "scenarios/spec/findings.h"
#include "traces/generators/workloads.h"

namespace rackwright::scenarios {
namespace {

const std::string path = "workload.generator";

traces::GeneratorSpec start_from(const v1::Generator& generator, Findings& findings) {
  if (!generator.has_workload()) return {};
  if (auto known = traces::find_workload(generator.workload())) return *known;
  std::vector<std::string> names;
  for (const traces::GeneratorSpec& workload : traces::workloads()) names.push_back(workload.name);
  findings.error(path + ".workload", fmt::format("no workload is called '{}'", generator.workload()),
                 name_hint(generator.workload(), names));
  return {};
}

void apply(const v1::Arrivals& written, traces::ArrivalSpec& arrivals) {
  using Field = v1::Arrivals;
  using Kind = traces::ArrivalSpec::Kind;
  switch (effective_choice<v1::ArrivalProcess>(written, Field::kProcessFieldNumber)) {
    case v1::ARRIVAL_PROCESS_GAMMA: arrivals.kind = Kind::gamma; break;
    case v1::ARRIVAL_PROCESS_WEIBULL: arrivals.kind = Kind::weibull; break;
    case v1::ARRIVAL_PROCESS_ON_OFF: arrivals.kind = Kind::on_off; break;
    case v1::ARRIVAL_PROCESS_CONSTANT: arrivals.kind = Kind::constant; break;
    default: arrivals.kind = Kind::poisson;
  }
  arrivals.cv = effective_quantity(written, Field::kCvFieldNumber);
  arrivals.bursts = {};
  arrivals.bursts.on_s = effective_quantity(written, Field::kOnFieldNumber);
  arrivals.bursts.off_s = effective_quantity(written, Field::kOffFieldNumber);
}

/// "p99.5" is 0.995.
std::optional<double> quantile(const std::string& name) {
  double percent = 0;
  const char* end = name.data() + name.size();
  if (name.size() < 2 || name[0] != 'p') return std::nullopt;
  const auto [stop, failure] = std::from_chars(name.data() + 1, end, percent);
  if (failure != std::errc{} || stop != end || percent < 0 || percent > 100) return std::nullopt;
  return percent / 100;
}

void apply(const v1::Lengths& written, const std::string& at, traces::QuantileTable& table, Findings& findings) {
  if (written.quantiles_size() == 0) {
    if (written.has_fixed()) table = traces::QuantileTable::constant(written.fixed());
    return;
  }
  std::vector<traces::Quantile> quantiles;
  for (const auto& [name, tokens] : written.quantiles()) {
    const std::optional<double> p = quantile(name);
    if (!p) {
      findings.error(at + ".quantiles", fmt::format("'{}' is not a quantile", name), "write p0, p50, p99.9, p100");
      return;
    }
    quantiles.push_back({*p, tokens});
  }
  std::ranges::sort(quantiles, {}, &traces::Quantile::p);
  if (const std::string problem = traces::QuantileTable::problem(quantiles); !problem.empty()) {
    findings.error(at + ".quantiles", problem);
    return;
  }
  table = traces::QuantileTable(std::move(quantiles));
}

/// Another prompt length would contradict the conversations of a built-in workload, whose prompts grow out of each other.
void apply_lengths(const v1::Generator& generator, traces::GeneratorSpec& spec, Findings& findings) {
  if (generator.has_input_tokens()) {
    apply(generator.input_tokens(), path + ".input_tokens", spec.input_tokens, findings);
    if (spec.conversations) {
      findings.warning(path + ".input_tokens", "prompts of this length share no beginnings: the conversations of the built-in workload are left out");
      spec.conversations.reset();
    }
  }
  if (generator.has_output_tokens()) apply(generator.output_tokens(), path + ".output_tokens", spec.output_tokens, findings);
  const auto need = [&](const traces::QuantileTable& table, const char* name) {
    if (table.empty()) findings.error(path, fmt::format("the generator has no {}", name), "name a built-in 'workload', or give it");
  };
  need(spec.input_tokens, "input_tokens");
  need(spec.output_tokens, "output_tokens");
}

}  // namespace

traces::GeneratorSpec generator_spec(const v1::Workload& workload, Findings& findings) {
  const v1::Generator& generator = workload.generator();
  traces::GeneratorSpec spec = start_from(generator, findings);
  if (findings.has_errors()) return spec;
  if (generator.has_arrivals()) apply(generator.arrivals(), spec.arrivals);
  if (generator.has_daily_swing()) {
    spec.profile = traces::diurnal_profile(generator.daily_swing().depth(),
                                           effective_quantity(generator.daily_swing(), v1::DailySwing::kPeakHourFieldNumber));
  }
  apply_lengths(generator, spec, findings);
  if (spec.name.empty()) spec.name = "generator";
  if (workload.has_rate()) {
    spec.arrivals.rate_per_s = workload.rate();
  } else if (!generator.has_workload()) {
    findings.error("workload", "the generator has no rate", "give 'rate', such as rate: 8 /s");
  }
  if (workload.has_duration()) spec.duration = sim_time(workload.duration());
  if (workload.has_requests()) spec.count = static_cast<std::uint64_t>(workload.requests());
  if (!spec.duration && !spec.count) {
    findings.error("workload", "the generator never ends", "give 'duration', such as duration: 10 min, or 'requests'");
  }
  if (!findings.has_errors()) traces::check_generator(spec, path, findings.diagnostics());
  return spec;
}

}  // namespace rackwright::scenarios
