#include "sim/cli/topology_export_verb.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>

#include "scenarios/results/output_file.h"
#include "sim/cli/console.h"
#include "topologies/exporters/exporters.h"
#include "topologies/importers/importer.h"

namespace rackwright::cli {
namespace {

/// By the ending of the name.
std::optional<std::string> written(const topologies::Topology& topology, const std::filesystem::path& output) {
  if (output.extension() == ".graphml") return topologies::export_graphml(topology);
  if (output.extension() == ".xml") return topologies::export_simgrid(topology);
  if (output.extension() == ".dot") return topologies::export_dot(topology);
  return std::nullopt;
}

}  // namespace

void TopologyExportVerb::declare(CLI::App& app) {
  app.add_option("FILE", file_, "nvidia-smi topo -m, ibnetdiscover, NCCL XML, GraphML or SimGrid platform")->required();
  app.add_option("-o,--output", output_, "the file to write: .graphml, .xml (SimGrid) or .dot (Graphviz)")->required();
}

ExitCode TopologyExportVerb::run(Console& console) {
  Diagnostics diagnostics;
  const auto topology = topologies::import_topology_file(file_, {}, diagnostics);
  console.show(diagnostics);
  if (!topology) return ExitCode::bad_input;
  const std::optional<std::string> text = written(*topology, output_);
  if (!text) {
    console.error("no form of topologies is written to '" + output_ + "'", "end the name in .graphml, .xml or .dot");
    return ExitCode::bad_input;
  }
  results::write_file(output_, *text);
  console.out() << output_ << '\n';
  return ExitCode::ok;
}

}  // namespace rackwright::cli
