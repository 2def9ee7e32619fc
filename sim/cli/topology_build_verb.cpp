#include "sim/cli/topology_build_verb.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "models/base/names.h"
#include "models/base/quantity.h"
#include "sim/cli/console.h"
#include "sim/cli/settings.h"
#include "sim/cli/topology_file.h"
#include "sim/cli/topology_report_text.h"
#include "topologies/builders/fabric_catalog.h"

namespace rackwright::cli {
namespace {

/// The values of `--set NAME=VALUE`, in the units of the entry's parameters.
topologies::FabricValues values_of(const std::vector<scenarios::Setting>& settings, const topologies::FabricEntry& entry, Diagnostics& diagnostics) {
  topologies::FabricValues values;
  for (const scenarios::Setting& setting : settings) {
    const auto known = std::ranges::find(entry.parameters, setting.path, &topologies::FabricParameter::name);
    QuantityError error;
    const auto value = parse_quantity(setting.value, known == entry.parameters.end() ? "" : known->unit, error);
    if (value) values[setting.path] = *value;
    else if (known == entry.parameters.end()) values[setting.path] = 0;  // Refused by its name.
    else diagnostics.error({"--set " + setting.path + "=" + setting.value, 0, 0}, setting.path, error.message, error.hint);
  }
  return values;
}

}  // namespace

void TopologyBuildVerb::declare(CLI::App& app) {
  app.add_option("NAME", name_, "a topology, as 'rackwright list fabrics' names it")->required();
  app.add_option("--set", settings_, "PARAMETER=VALUE, as 'rackwright show fabric NAME' names them")->allow_extra_args(false);
  app.add_option("-o,--output", output_, "write it instead: .graphml, .xml (SimGrid) or .dot (Graphviz)");
}

ExitCode TopologyBuildVerb::run(Console& console) {
  const topologies::FabricEntry* entry = topologies::find_fabric(name_);
  if (!entry) {
    std::vector<std::string> names;
    for (const topologies::FabricEntry& one : topologies::fabric_catalog()) names.push_back(one.name);
    console.error("no fabric is called '" + name_ + "'", name_hint(name_, names));
    return ExitCode::bad_input;
  }
  Diagnostics diagnostics;
  const topologies::FabricValues values = values_of(parse_settings(settings_, diagnostics), *entry, diagnostics);
  std::optional<topologies::Topology> topology;
  if (!diagnostics.has_errors()) topology = topologies::build_fabric(*entry, values, diagnostics);
  console.show(diagnostics);
  if (!topology) return ExitCode::bad_input;
  if (!output_.empty()) return write_topology(*topology, output_, console) ? ExitCode::ok : ExitCode::bad_input;
  print_topology_report(*topology, console);
  return ExitCode::ok;
}

}  // namespace rackwright::cli
