#include "sim/cli/topology_export_verb.h"

#include <CLI/CLI.hpp>

#include "sim/cli/console.h"
#include "sim/cli/topology_file.h"
#include "topologies/importers/importer.h"

namespace rackwright::cli {

void TopologyExportVerb::declare(CLI::App& app) {
  app.add_option("FILE", file_, "nvidia-smi topo -m, ibnetdiscover, NCCL XML, GraphML or SimGrid platform")->required();
  app.add_option("-o,--output", output_, "the file to write: .graphml, .xml (SimGrid) or .dot (Graphviz)")->required();
}

ExitCode TopologyExportVerb::run(Console& console) {
  Diagnostics diagnostics;
  const auto topology = topologies::import_topology_file(file_, {}, diagnostics);
  console.show(diagnostics);
  if (!topology) return ExitCode::bad_input;
  return write_topology(*topology, output_, console) ? ExitCode::ok : ExitCode::bad_input;
}

}  // namespace rackwright::cli
