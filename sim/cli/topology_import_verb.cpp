#include "sim/cli/topology_import_verb.h"

#include <CLI/CLI.hpp>
#include <map>

#include <nlohmann/json.hpp>

#include "models/base/diagnostic.h"
#include "scenarios/spec/input_files.h"
#include "sim/cli/console.h"
#include "sim/cli/topology_file.h"
#include "topologies/importers/importer.h"

namespace rackwright::cli {

void TopologyImportVerb::declare(CLI::App& app) {
  app.add_option("FILE", file_, "nvidia-smi topo -m, ibnetdiscover, NCCL XML, GraphML or SimGrid platform")->required();
  app.add_option("-o,--output", output_, "the file to write: .graphml (nothing is lost), .xml (SimGrid) or .dot (Graphviz)");
}

ExitCode TopologyImportVerb::run(Console& console) {
  const std::string text = scenarios::read_file(file_);
  const auto format = topologies::detect_topology_format(text);
  if (!format) {
    console.error("'" + file_ + "' is none of the known forms of topologies", "nvidia-smi topo -m, ibnetdiscover, NCCL XML, GraphML or SimGrid platform");
    return ExitCode::bad_input;
  }
  Diagnostics diagnostics;
  const auto topology = topologies::import_topology(text, file_, *format, {}, diagnostics);
  console.show(diagnostics);
  if (!topology) return ExitCode::bad_input;
  std::map<std::string, int> vertices;
  for (const topologies::Vertex& vertex : topology->vertices()) ++vertices[std::string(topologies::to_string(vertex.kind))];
  if (console.format() == Format::json) {
    const nlohmann::ordered_json json{{"format", topologies::to_string(*format)}, {"vertices", vertices}, {"cables", topology->cable_count()}};
    console.out() << json.dump(2) << '\n';
  } else {
    console.out() << "Format    " << topologies::to_string(*format) << "\nCables    " << topology->cable_count() << "\nVertices  " << topology->vertex_count() << '\n';
    for (const auto& [kind, count] : vertices) console.out() << "  " << kind << "  " << count << '\n';
  }
  if (output_.empty()) return ExitCode::ok;
  return write_topology(*topology, output_, console) ? ExitCode::ok : ExitCode::bad_input;
}

}  // namespace rackwright::cli
