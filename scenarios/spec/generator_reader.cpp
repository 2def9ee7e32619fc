#include "scenarios/spec/generator_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "models/base/names.h"
#include "scenarios/schema/effective.h"
#include "scenarios/schema/workload.pb.h"
#include "scenarios/spec/findings.h"
#include "scenarios/spec/quantile_reader.h"
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

/// Another prompt length would contradict the conversations of a built-in workload, whose prompts grow out of each other.
void apply_lengths(const v1::Generator& generator, traces::GeneratorSpec& spec, Findings& findings) {
  if (generator.has_input_tokens()) {
    spec.input_tokens = length_table(generator.input_tokens(), path + ".input_tokens", findings, spec.input_tokens);
    if (spec.conversations) {
      findings.warning(path + ".input_tokens", "prompts of this length share no beginnings: the conversations of the built-in workload are left out");
      spec.conversations.reset();
    }
  }
  spec.output_tokens = length_table(generator.output_tokens(), path + ".output_tokens", findings, spec.output_tokens);
  spec.reasoning_tokens = length_table(generator.reasoning_tokens(), path + ".reasoning_tokens", findings);
  if (!generator.classes().empty()) return;  // Each may have its own.
  const auto need = [&](const traces::QuantileTable& table, const char* name) {
    if (table.empty()) findings.error(path, fmt::format("the generator has no {}", name), "name a built-in 'workload', or give it");
  };
  need(spec.input_tokens, "input_tokens");
  need(spec.output_tokens, "output_tokens");
}

/// Tasks of agents, with the tools that the workload describes.
void apply_chain(const v1::AgentChain& written, const std::vector<ToolSpec>& tools, traces::GeneratorSpec& spec, Findings& findings) {
  const std::string at = path + ".chain";
  traces::AgentChainSpec& chain = spec.chain.emplace();
  chain.calls = length_table(written.calls(), at + ".calls", findings);
  chain.tool_tokens = length_table(written.tool_tokens(), at + ".tool_tokens", findings);
  chain.parallel_tools = length_table(written.parallel_tools(), at + ".parallel_tools", findings, chain.parallel_tools);
  if (chain.calls.empty()) findings.error(at + ".calls", "how many calls a task makes is needed", "a number, or quantiles");
  if (chain.tool_tokens.empty()) findings.error(at + ".tool_tokens", "what tools add to the context is needed", "a number, or quantiles");
  const std::map<std::string, double> weights(written.tools().begin(), written.tools().end());
  for (const auto& [name, weight] : weights) {
    auto tool = std::ranges::find(tools, name, &ToolSpec::name);
    if (tool == tools.end()) tool = std::ranges::find(tools, "*", &ToolSpec::name);
    if (tool == tools.end()) {
      findings.error(fmt::format("{}.tools.\"{}\"", at, name), fmt::format("'workload.tools' has no '{}'", name), "describe it there");
      continue;
    }
    if (tool->time_s.empty()) {
      findings.error(fmt::format("workload.tools.\"{}\".time", tool->name), "a generated chain needs the time of its tools", "such as time: 2 s");
      continue;
    }
    chain.tools.push_back({name, weight, tool->time_s});
  }
  if (spec.conversations) {
    findings.warning(at, "the prompts of a task grow out of each other: the conversations of the built-in workload are left out");
    spec.conversations.reset();
  }
}

/// A stream for each class, at its share of the rate.
void apply_classes(const v1::Generator& generator, traces::GeneratorSpec& spec, Findings& findings) {
  const std::map<std::string, v1::GeneratedClass> classes(generator.classes().begin(), generator.classes().end());
  double shares = 0;
  for (const auto& [name, written] : classes) shares += written.share();
  traces::GeneratorSpec common = spec;
  for (const auto& [name, written] : classes) {
    const std::string at = fmt::format("{}.classes.\"{}\"", path, name);
    traces::GeneratorSpec& part = spec.mix.emplace_back(common);
    part.name = fmt::format("{}/{}", common.name, name);
    part.request_class = name;
    part.count.reset();
    part.arrivals.rate_per_s *= written.share() / shares;
    if (written.has_input_tokens()) part.conversations.reset();
    part.input_tokens = length_table(written.input_tokens(), at + ".input_tokens", findings, common.input_tokens);
    part.output_tokens = length_table(written.output_tokens(), at + ".output_tokens", findings, common.output_tokens);
    part.reasoning_tokens = length_table(written.reasoning_tokens(), at + ".reasoning_tokens", findings, common.reasoning_tokens);
    if (part.input_tokens.empty()) findings.error(at + ".input_tokens", "neither the class nor the generator has input_tokens", "give it");
    if (part.output_tokens.empty()) findings.error(at + ".output_tokens", "neither the class nor the generator has output_tokens", "give it");
  }
}

}  // namespace

traces::GeneratorSpec generator_spec(const v1::Workload& workload, const WorkloadSpec& beside, Findings& findings) {
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
  if (generator.has_chain()) apply_chain(generator.chain(), beside.tools, spec, findings);
  spec.samples = beside.samples;
  if (!generator.classes().empty() && !generator.has_chain()) apply_classes(generator, spec, findings);
  if (!findings.has_errors()) traces::check_generator(spec, path, findings.diagnostics());
  return spec;
}

}  // namespace rackwright::scenarios
