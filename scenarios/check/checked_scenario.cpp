#include "scenarios/check/checked_scenario.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "models/base/hash.h"
#include "models/base/invariant.h"
#include "models/base/names.h"
#include "models/llm/hf_config.h"
#include "scenarios/catalog/catalog.h"
#include "scenarios/catalog/unverified_figures.h"
#include "scenarios/check/expert_tables.h"
#include "scenarios/check/fabric_findings.h"
#include "scenarios/check/idle_classes.h"
#include "scenarios/check/pool_connections.h"
#include "scenarios/check/stated_figures.h"
#include "scenarios/check/workload_fit.h"
#include "scenarios/codec/codec.h"
#include "scenarios/codec/message_path.h"
#include "scenarios/codec/no_effect.h"
#include "scenarios/schema/effective.h"
#include "scenarios/schema/options.h"
#include "scenarios/schema/scenario.pb.h"
#include "scenarios/spec/fabric_reader.h"
#include "scenarios/spec/findings.h"
#include "scenarios/spec/hall_reader.h"
#include "scenarios/spec/input_files.h"
#include "scenarios/spec/model_reader.h"
#include "scenarios/spec/pool_reader.h"
#include "scenarios/spec/routing_reader.h"
#include "scenarios/spec/slo_reader.h"
#include "scenarios/spec/station_reader.h"
#include "scenarios/spec/workload_reader.h"

namespace rackwright::scenarios {
namespace {

/// Models by the scenario's own names before those of the catalog.
class ModelsFirst final : public PresetSource {
 public:
  ModelsFirst(const v1::Scenario& scenario, const Catalog& catalog) : scenario_(scenario), catalog_(catalog) {}

  const pb::Message* find(std::string_view kind, std::string_view name) const override {
    if (kind == "model") {
      const auto own = scenario_.models().find(std::string(name));
      if (own != scenario_.models().end()) return &own->second;
    }
    return catalog_.find(kind, name);
  }
  std::vector<std::string> names(std::string_view kind) const override {
    std::vector<std::string> names;
    if (kind == "model") {
      for (const auto& [name, model] : scenario_.models()) names.push_back(name);
    }
    for (std::string& name : catalog_.names(kind)) names.push_back(std::move(name));
    return names;
  }

 private:
  const v1::Scenario& scenario_;
  const Catalog& catalog_;
};

/// One pass from the written scenario to the spec.
class Check {
 public:
  Check(CheckedScenario& scenario, const std::string& file, const Catalog& catalog)
      : scenario_(scenario), file_(file), catalog_(catalog), findings_(scenario.places, scenario.diagnostics) {}

  void run() {
    warn_of_no_effect(*scenario_.written, scenario_.places, scenario_.diagnostics);
    resolve();
    if (scenario_.diagnostics.has_errors()) return;
    read_spec();
    if (scenario_.diagnostics.has_errors()) return;
    scenario_.unverified = unverified_figures(*scenario_.written, catalog_);
    scenario_.fabric = plan_fabric(scenario_.spec, pool_connections(scenario_.spec), catalog_, file_, findings_);
    if (scenario_.fabric && resolved().has_fabric()) warn_of_idle_fabric(resolved().fabric(), scenario_.spec, *scenario_.fabric, findings_);
    scenario_.plans = plan_pools(scenario_.spec, catalog_, scenario_.fabric ? &*scenario_.fabric : nullptr, findings_);
    if (!scenario_.diagnostics.has_errors()) warn_of_small_caches(scenario_.spec, scenario_.plans, findings_);
    echo_what_holds();
  }

 private:
  v1::Scenario& resolved() { return *scenario_.resolved; }

  void resolve() {
    resolved().CopyFrom(*scenario_.written);
    for (const v1::Pool& pool : scenario_.written->deployment()) model_names_.push_back(pool.model().preset());
    expand_presets(resolved(), "", ModelsFirst(*scenario_.written, catalog_), findings_);
  }

  void read_spec() {
    ScenarioSpec& spec = scenario_.spec;
    const v1::Scenario& from = resolved();
    spec.name = from.has_name() ? from.name() : std::filesystem::path(file_).stem().string();
    spec.question = from.question();
    spec.seed = static_cast<std::uint64_t>(effective_count(from, v1::Scenario::kSeedFieldNumber));
    spec.hall = hall_spec(from.facility(), findings_);
    apply_stated_figures(scenario_.written->facility(), catalog_, spec.hall, findings_);
    find_profiles();
    spec.fabric = fabric_spec(from.fabric(), from.has_fabric(), spec.hall, findings_);
    spec.pools = pool_specs(from, model_names_, read_models(), read_drafts(), spec.hall, findings_);
    read_expert_tables(from, file_, spec.pools, scenario_.inputs, findings_);
    spec.stations = station_specs(from, spec.hall, spec.pools, findings_);
    spec.classes = request_classes(from);
    for (const results::RequestClass& one : spec.classes) {
      const auto written = from.workload().classes().find(one.name);
      ClassTreatment& treatment = spec.treatments.emplace_back();
      if (written == from.workload().classes().end()) continue;
      treatment.priority = static_cast<std::int32_t>(effective_count(written->second, v1::RequestClass::kPriorityFieldNumber));
      if (written->second.has_timeout()) treatment.timeout_s = written->second.timeout();
      if (written->second.has_model()) treatment.model = served_model(written->second.model(), one.name);
    }
    spec.workload = workload_spec(from, file_, spec.pools, spec.stations, findings_);
    spec.routing = routing_spec(from.routing());
    warn_of_idle_routing(*scenario_.written, spec.classes, findings_);
    warn_of_idle_classes(*scenario_.written, findings_);
    warn_of_unshared_prefixes(spec, findings_);
    if (from.output().has_timeline_period()) spec.timeline_period_s = from.output().timeline_period();
    spec.warm_up_s = effective_quantity(from.output().window(), v1::Window::kWarmUpFieldNumber);
    spec.cool_down_s = effective_quantity(from.output().window(), v1::Window::kCoolDownFieldNumber);
    if (from.limits().has_simulated_time()) spec.simulated_time_limit_s = from.limits().simulated_time();
    spec.no_progress_limit_s = effective_quantity(from.limits(), v1::Limits::kNoProgressFieldNumber);
  }

  /// Writes into the resolved scenario what was not given: defaults, and what follows from the hall and the memory.
  void echo_what_holds() {
    v1::Scenario& echo = resolved();
    echo.set_name(scenario_.spec.name);
    echo.mutable_routing();
    echo.mutable_output()->mutable_window();
    echo.mutable_limits();
    for (int i = 0; i < echo.deployment_size(); ++i) {
      const PoolSpec& pool = scenario_.spec.pools[static_cast<std::size_t>(i)];
      v1::Pool& written = *echo.mutable_deployment(i);
      written.set_replicas(std::max(pool.instances, pool.side.instances));
      written.set_expert_parallel(pool.parallelism.expert);
      written.mutable_scheduler()->set_token_budget(pool.scheduler.token_budget);
      written.mutable_scheduler()->set_max_sequences(pool.scheduler.max_sequences);
      written.mutable_kv_cache()->set_memory_fraction(pool.kv_cache.memory_fraction);
      written.mutable_kv_cache()->set_blocks(scenario_.plans[static_cast<std::size_t>(i)].kv_blocks);
      written.mutable_execution();
    }
    for (int i = 0; i < echo.stations_size(); ++i) {
      const StationSpec& station = scenario_.spec.stations[static_cast<std::size_t>(i)];
      echo.mutable_stations(i)->set_workers(station.workers);
      if (station.memory_bytes) echo.mutable_stations(i)->set_memory(*station.memory_bytes);
    }
    fill_defaults(echo);
  }

  /// A profile is one of the catalog, or a folder that lies where other inputs do.
  void find_profiles() {
    for (RackGroupSpec& group : scenario_.spec.hall.groups) {
      const std::vector<std::string> known = catalog_.profile_names();
      if (group.profile.empty() || std::ranges::find(known, group.profile) != known.end()) continue;
      if (const auto folder = find_input(group.profile, file_); folder && std::filesystem::is_directory(*folder)) {
        group.profile_folder = folder->string();
      } else {
        findings_.error(fmt::format("facility.racks.{}.rack.node.device.profile", group.name),
                        fmt::format("'{}' is neither a kernel profile of the catalog nor a folder", group.profile), name_hint(group.profile, known));
      }
    }
  }

  ModelShapes read_models() {
    ModelShapes shapes;
    for (int i = 0; i < resolved().deployment_size(); ++i) {
      const std::string path = fmt::format("deployment[{}].model", i);
      shapes.push_back(read_model(resolved().deployment(i).model(), path));
    }
    return shapes;
  }

  /// The name, with a finding when no pool runs it.
  std::string served_model(const std::string& model, const std::string& request_class) {
    std::vector<std::string> names;
    for (const PoolSpec& pool : scenario_.spec.pools) names.push_back(pool.model_name);
    if (std::ranges::find(names, model) == names.end())
      findings_.error(fmt::format("workload.classes.{}.model", request_class), fmt::format("no pool runs a model called '{}'", model), name_hint(model, names));
    return model;
  }

  ModelShapes read_drafts() {
    ModelShapes shapes;
    for (int i = 0; i < resolved().deployment_size(); ++i) {
      const v1::Speculation& speculation = resolved().deployment(i).speculation();
      const std::string path = fmt::format("deployment[{}].speculation.draft", i);
      shapes.push_back(speculation.has_draft() ? read_model(speculation.draft(), path) : std::nullopt);
    }
    return shapes;
  }

  std::optional<llm::ModelShape> read_model(const v1::Model& model, const std::string& path) {
    if (model.has_config()) return import_model(model, path);
    return model_shape(model, path, findings_);
  }

  std::optional<llm::ModelShape> import_model(const v1::Model& model, const std::string& path) {
    const auto found = find_input(model.config(), file_);
    if (!found) {
      findings_.error(path + ".config", fmt::format("no file '{}' beside the scenario or under RACKWRIGHT_DATA", model.config()),
                      "give the path of a config.json");
      return std::nullopt;
    }
    if (!std::filesystem::is_regular_file(*found)) {
      findings_.error(path + ".config", fmt::format("'{}' is no regular file", model.config()), "give the path of a config.json");
      return std::nullopt;
    }
    scenario_.inputs.push_back({"model", model.config(), hash64(read_file(*found))});
    std::optional<llm::ModelShape> shape = llm::import_hf_config(*found, scenario_.diagnostics);
    if (shape) apply_formats(model, *shape);
    return shape;
  }

  CheckedScenario& scenario_;
  const std::string& file_;
  const Catalog& catalog_;
  Findings findings_;
  std::vector<std::string> model_names_;
};

}  // namespace

CheckedScenario::CheckedScenario()
    : written(std::make_unique<v1::Scenario>()), resolved(std::make_unique<v1::Scenario>()) {}
CheckedScenario::CheckedScenario(CheckedScenario&&) noexcept = default;
CheckedScenario::~CheckedScenario() = default;

CheckedScenario check_scenario(const std::string& file, std::string bytes, const std::vector<Setting>& settings,
                               const Catalog& catalog) {
  CheckedScenario scenario;
  scenario.inputs.push_back({"scenario", std::filesystem::path(file).filename().string(), hash64(bytes)});
  scenario.places = read_message(file, std::move(bytes), format_of(file).value_or(Format::yaml), *scenario.written,
                                 scenario.diagnostics, settings.empty() ? Missing::report : Missing::leave);
  for (const Setting& setting : settings) {
    const Location where{fmt::format("--set {}={}", setting.path, setting.value), 0, 0};
    if (!set_path(*scenario.written, setting.path, setting.value, where, scenario.diagnostics)) continue;
    std::string ignored;
    if (const auto path = parse_path(setting.path, ignored)) scenario.places.add(*path, where);
  }
  if (!settings.empty()) report_missing(*scenario.written, scenario.places, scenario.diagnostics);
  const std::string& document = group_of(*v1::Scenario::descriptor()).document();
  if (!scenario.diagnostics.has_errors() && scenario.written->schema() != document) {
    scenario.diagnostics.error(scenario.places.find("schema"), "schema",
                               fmt::format("this is a '{}' file, but a '{}' file is expected", scenario.written->schema(), document));
  }
  if (!scenario.diagnostics.has_errors()) Check(scenario, file, catalog).run();
  return scenario;
}

CheckedScenario check_scenario_file(const std::string& file, const std::vector<Setting>& settings, const Catalog& catalog) {
  return check_scenario(file, read_file(file), settings, catalog);
}

}  // namespace rackwright::scenarios
