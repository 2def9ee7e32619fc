#include "sim/cli/list_verb.h"

#include <google/protobuf/descriptor.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <utility>

#include "models/base/names.h"
#include "scenarios/catalog/catalog.h"
#include "scenarios/schema/description.h"
#include "scenarios/schema/message_values.h"
#include "scenarios/schema/scenario.pb.h"
#include "sim/cli/console.h"
#include "topologies/builders/fabric_catalog.h"
#include "traces/formats/trace_format.h"
#include "traces/generators/workloads.h"

namespace rackwright::cli {
namespace {

using Listing = std::vector<std::pair<std::string, std::string>>;  // Name and one line.

Listing catalog_listing(std::string_view kind) {
  const scenarios::Catalog catalog;
  Listing listing;
  for (const std::string& name : catalog.names(kind)) {
    const auto& entry = *catalog.find(kind, name);
    const auto* title = entry.GetDescriptor()->FindFieldByName("title");
    const bool titled = title && scenarios::is_given(entry, *title);
    const auto* source = entry.GetDescriptor()->FindFieldByName("source");
    const auto* line = titled ? title : source && scenarios::is_given(entry, *source) ? source : nullptr;
    listing.emplace_back(name, line ? std::get<std::string>(scenarios::get_scalar(entry, *line)) : "");
  }
  return listing;
}

Listing workload_listing() {
  Listing listing;
  for (const traces::GeneratorSpec& workload : traces::workloads()) listing.emplace_back(workload.name, workload.title);
  return listing;
}

Listing trace_format_listing() {
  Listing listing;
  for (const traces::TraceFormat* format : traces::trace_formats()) listing.emplace_back(format->name, format->title);
  return listing;
}

/// What a scenario's requests can come from: the built-in workloads, and logs in these formats.
Listing trace_listing() {
  Listing listing;
  for (const auto& [name, title] : workload_listing()) listing.emplace_back(name, "generator: " + title);
  for (const auto& [name, title] : trace_format_listing()) listing.emplace_back(name, "format: " + title);
  return listing;
}

/// The choices of the two policies, as the schema has them.
Listing policy_listing() {
  const auto schema = scenarios::describe(*v1::Scenario::descriptor());
  Listing listing;
  for (const auto& [group, place] : {std::pair{"Scheduler", "scheduler"}, std::pair{"Routing", "routing"}}) {
    for (const scenarios::ChoiceInfo& choice : schema.find(group)->find("policy")->choices) {
      listing.emplace_back(choice.name, std::string(place) + ": " + choice.help);
    }
  }
  return listing;
}

Listing fabric_listing() {
  Listing listing;
  for (const topologies::FabricEntry& entry : topologies::fabric_catalog()) listing.emplace_back(entry.name, entry.title);
  return listing;
}

struct Kind {
  std::string plural;
  std::string catalog_kind;  ///< Empty where the listing comes from elsewhere.
  Listing (*listing)() = nullptr;
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all{{"devices", "device"},   {"models", "model"},       {"racks", "rack"},
                                     {"nodes", "node"},       {"hosts", "host"},         {"nics", "nic"},
                                     {"switches", "switch"},  {"workloads", "", workload_listing}, {"fabrics", "", fabric_listing},
                                     {"policies", "", policy_listing}, {"traces", "", trace_listing}, {"trace-formats", "", trace_format_listing}};
  return all;
}

}  // namespace

void ListVerb::declare(CLI::App& app) {
  app.add_option("KIND", kind_, "devices, models, racks, nodes, hosts, nics, switches, fabrics, policies, traces, workloads or trace-formats")->required();
}

ExitCode ListVerb::run(Console& console) {
  std::vector<std::string> names;
  const Kind* chosen = nullptr;
  for (const Kind& kind : kinds()) {
    names.push_back(kind.plural);
    if (kind.plural == kind_ || (!kind.catalog_kind.empty() && kind.catalog_kind == kind_)) chosen = &kind;
  }
  if (!chosen) {
    console.error("nothing is listed as '" + kind_ + "'", name_hint(kind_, names));
    return ExitCode::bad_input;
  }
  const Listing listing = chosen->listing ? chosen->listing() : catalog_listing(chosen->catalog_kind);
  if (console.format() == Format::json) {
    auto json = nlohmann::ordered_json::array();
    for (const auto& [name, line] : listing) json.push_back({{"name", name}, {"title", line}});
    console.out() << json.dump(2) << '\n';
    return ExitCode::ok;
  }
  std::size_t width = 0;
  for (const auto& [name, line] : listing) width = std::max(width, name.size());
  for (const auto& [name, line] : listing) console.out() << name << std::string(line.empty() ? 0 : width + 2 - name.size(), ' ') << line << '\n';
  return ExitCode::ok;
}

}  // namespace rackwright::cli
