#include "sim/cli/topology_inspect_verb.h"

#include <CLI/CLI.hpp>

#include "sim/cli/console.h"
#include "sim/cli/topology_report_text.h"
#include "topologies/importers/importer.h"

namespace rackwright::cli {

void TopologyInspectVerb::declare(CLI::App& app) {
  app.add_option("FILE", file_, "nvidia-smi topo -m, ibnetdiscover, NCCL XML, GraphML or SimGrid platform")->required();
}

ExitCode TopologyInspectVerb::run(Console& console) {
  Diagnostics diagnostics;
  const auto topology = topologies::import_topology_file(file_, {}, diagnostics);
  console.show(diagnostics);
  if (!topology) return ExitCode::bad_input;
  print_topology_report(*topology, console);
  return ExitCode::ok;
}

}  // namespace rackwright::cli
