#include "sim/cli/check_verb.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <tuple>

#include "models/base/quantity.h"
#include "scenarios/catalog/catalog.h"
#include "scenarios/check/checked_scenario.h"
#include "sim/cli/console.h"
#include "sim/cli/fabric_text.h"
#include "sim/cli/planned_pools.h"
#include "sim/cli/rate_match_lines.h"
#include "sim/cli/settings.h"
#include "sim/run/open_workload.h"

namespace rackwright::cli {
namespace {

/// "fp8", or the groups that differ from the attention: "mxfp4 experts, else bf16". LM head and what is not a matrix are not counted.
std::string formats_text(const llm::ModelShape& model) {
  const llm::WeightFormats& formats = model.weights;
  const llm::ParameterCounts counts = llm::parameters(model);
  const std::array<std::tuple<std::string_view, llm::WeightFormat, std::int64_t>, 4> groups{
      {{"attention", formats.attention, counts.attention}, {"attention output", formats.attention_output, counts.attention_output},
       {"feed-forward", formats.feed_forward, counts.feed_forward}, {"experts", formats.experts, counts.experts}}};
  std::string named;
  for (const auto& [name, format, count] : groups)
    if (count > 0 && format != formats.attention) named += fmt::format("{} {}, ", to_string(format), name);
  return named.empty() ? std::string(to_string(formats.attention)) : fmt::format("{}else {}", named, to_string(formats.attention));
}

/// What follows from the scenario and stands nowhere in it: replicas, and where the memory goes.
std::string derived_text(const scenarios::CheckedScenario& scenario, report::TextStyle style) {
  report::TextTable table({"Pool", "instances", "devices each", "formats", "weights", "activations", "KV cache", "KV tokens", "idle power"});
  for (std::size_t i = 0; i < scenario.spec.pools.size(); ++i) {
    const scenarios::PoolSpec& pool = scenario.spec.pools[i];
    const scenarios::PoolPlan& plan = scenario.plans[i];
    const bool knows_power = scenario.spec.hall.groups[static_cast<std::size_t>(pool.devices.group)].has_device_power();
    table.add({pool.name, std::to_string(pool.instances), std::to_string(pool.devices_per_instance()), formats_text(pool.model),
               format_quantity(plan.memory.weight_bytes, "B", 3), format_quantity(plan.memory.activation_bytes, "B", 3),
               format_quantity(plan.memory.kv_bytes, "B", 3), fmt::format("{}", plan.kv_blocks / plan.kv_layout.groups() * plan.kv_layout.block_tokens()),
               knows_power ? format_quantity(static_cast<double>(plan.cost->idle_power_mw()) / 1000, "W", 3) : ""});
  }
  return table.text(style) + on_chip_text(scenario, style);
}

/// With an empty line after it, unless it is empty.
std::string apart(std::string text) { return text.empty() ? text : text + '\n'; }

nlohmann::ordered_json finding_json(const Diagnostic& finding) {
  return {{"severity", to_string(finding.severity)}, {"file", finding.where.file}, {"line", finding.where.line},
          {"column", finding.where.column},          {"path", finding.path},       {"message", finding.message},
          {"hint", finding.hint}};
}

}  // namespace

void CheckVerb::declare(CLI::App& app) {
  app.add_option("SCENARIO", scenarios_, "scenario files")->required();
  app.add_option("--set", settings_, "PATH=VALUE: change the scenario, as often as needed")->allow_extra_args(false);
  app.add_flag("--strict", strict_, "exit with 1 when there are warnings");
}

ExitCode CheckVerb::run(Console& console) {
  Diagnostics usage;
  const std::vector<scenarios::Setting> settings = parse_settings(settings_, usage);
  console.show(usage);
  if (usage.has_errors()) return ExitCode::bad_input;

  const scenarios::Catalog catalog;
  int errors = 0;
  int warnings = 0;
  auto json = nlohmann::ordered_json::array();
  for (const std::string& file : scenarios_) {
    scenarios::CheckedScenario scenario = scenarios::check_scenario_file(file, settings, catalog);
    run::Workload workload;
    if (!scenario.diagnostics.has_errors()) workload = run::open_workload(scenario);
    errors += scenario.diagnostics.error_count();
    warnings += scenario.diagnostics.warning_count();
    if (console.format() == Format::json) {
      auto findings = nlohmann::ordered_json::array();
      for (const Diagnostic& finding : scenario.diagnostics.all()) findings.push_back(finding_json(finding));
      const bool feasible = !scenario.diagnostics.has_errors();
      json.push_back({{"scenario", file}, {"feasible", feasible}, {"findings", findings}, {"figures_from_memory", scenario.unverified}});
      if (feasible) json.back()["pools"] = pools_json(scenario);
      continue;
    }
    console.show(scenario.diagnostics);
    if (scenario.diagnostics.has_errors()) continue;
    console.out() << file << ": " << (scenario.diagnostics.warning_count() > 0 ? "feasible, with warnings" : "no findings") << "\n\n"
                  << derived_text(scenario, console.out_style()) << '\n'
                  << apart(rate_match_lines(scenario, *workload.requests));
    if (const std::string network = fabric_text(scenario, console.out_style()); !network.empty()) console.out() << network << '\n';
    if (!scenario.unverified.empty()) console.out() << "Figures from memory, without a source\n";
    for (const std::string& line : scenario.unverified) console.out() << "  " << line << '\n';
  }
  if (console.format() == Format::json) console.out() << json.dump(2) << '\n';
  if (errors > 0) return ExitCode::bad_input;
  return strict_ && warnings > 0 ? ExitCode::gate_failed : ExitCode::ok;
}

}  // namespace rackwright::cli
