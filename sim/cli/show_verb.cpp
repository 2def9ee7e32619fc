#include "sim/cli/show_verb.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "models/base/names.h"
#include "models/base/quantity.h"
#include "scenarios/catalog/catalog.h"
#include "scenarios/codec/codec.h"
#include "sim/cli/console.h"
#include "topologies/builders/fabric_catalog.h"

namespace rackwright::cli {

namespace {

/// The parameters of a topology that can be built, with their defaults.
ExitCode show_fabric(const std::string& name, Console& console) {
  const topologies::FabricEntry* entry = topologies::find_fabric(name);
  if (!entry) {
    std::vector<std::string> names;
    for (const topologies::FabricEntry& one : topologies::fabric_catalog()) names.push_back(one.name);
    console.error("no fabric is called '" + name + "'", name_hint(name, names));
    return ExitCode::bad_input;
  }
  if (console.format() == Format::json) {
    nlohmann::ordered_json json{{"kind", "fabric"}, {"name", name}, {"title", entry->title}};
    for (const topologies::FabricParameter& one : entry->parameters)
      json["parameters"].push_back({{"name", one.name}, {"default", one.value}, {"unit", one.unit}, {"help", one.help}});
    console.out() << json.dump(2) << '\n';
    return ExitCode::ok;
  }
  console.out() << entry->title << "\nBuild it with 'rackwright topology build " << name << " --set PARAMETER=VALUE'\n\n";
  report::TextTable table({"Parameter", "default", "what it is"});
  for (const topologies::FabricParameter& parameter : entry->parameters)
    table.add({parameter.name, format_quantity(parameter.value, parameter.unit), parameter.help});
  console.out() << table.text(console.out_style());
  return ExitCode::ok;
}

/// The entry as a scenario in JSON would write it, and which source stands behind which figure.
nlohmann::ordered_json entry_json(const scenarios::Catalog& catalog, const std::string& kind, const std::string& name) {
  nlohmann::ordered_json json{{"kind", kind}, {"name", name}};
  json["entry"] = nlohmann::ordered_json::parse(scenarios::write_message(*catalog.find(kind, name), scenarios::Format::json));
  json["sources"] = nlohmann::ordered_json::object();
  for (const auto& [path, key] : catalog.marks(kind, name).sources) {
    const scenarios::FigureSource& source = catalog.sources().at(key);
    json["sources"][path] = {{"source", key}, {"title", source.title}, {"confidence", source.confidence}};
  }
  return json;
}

}  // namespace

void ShowVerb::declare(CLI::App& app) {
  app.add_option("KIND", kind_, "device, model, rack, node, host, nic, switch or fabric")->required();
  app.add_option("NAME", name_, "an entry, as 'rackwright list' names it")->required();
}

ExitCode ShowVerb::run(Console& console) {
  if (kind_ == "fabric") return show_fabric(name_, console);
  const scenarios::Catalog catalog;
  const std::vector<std::string>& kinds = scenarios::Catalog::kinds();
  if (std::ranges::find(kinds, kind_) == kinds.end()) {
    console.error("the catalog has no kind '" + kind_ + "'", name_hint(kind_, kinds));
    return ExitCode::bad_input;
  }
  if (!catalog.find(kind_, name_)) {
    console.error("no " + kind_ + " is called '" + name_ + "'", name_hint(name_, catalog.names(kind_)));
    return ExitCode::bad_input;
  }
  if (console.format() == Format::json) {
    console.out() << entry_json(catalog, kind_, name_).dump(2) << '\n';
    return ExitCode::ok;
  }
  console.out() << catalog.text(kind_, name_);
  std::set<std::string> keys;
  for (const auto& [path, key] : catalog.marks(kind_, name_).sources) keys.insert(key);
  if (!keys.empty()) console.out() << "\nSources\n";
  for (const std::string& key : keys) {
    const scenarios::FigureSource& source = catalog.sources().at(key);
    console.out() << "  @" << key << "  " << source.title << " (" << source.confidence << ")\n";
  }
  return ExitCode::ok;
}

}  // namespace rackwright::cli
