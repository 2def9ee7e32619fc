#include "sim/cli/topology_file.h"

#include <filesystem>

#include <nlohmann/json.hpp>

#include "scenarios/results/output_file.h"
#include "sim/cli/console.h"
#include "topologies/exporters/exporters.h"

namespace rackwright::cli {
namespace {

std::optional<std::string> written(const topologies::Topology& topology, const std::filesystem::path& output) {
  if (output.extension() == ".graphml") return topologies::export_graphml(topology);
  if (output.extension() == ".xml") return topologies::export_simgrid(topology);
  if (output.extension() == ".dot") return topologies::export_dot(topology);
  return std::nullopt;
}

}  // namespace

bool write_topology(const topologies::Topology& topology, const std::string& output, Console& console) {
  const std::optional<std::string> text = written(topology, output);
  if (!text) {
    console.error("no form of topologies is written to '" + output + "'", "end the name in .graphml, .xml or .dot");
    return false;
  }
  results::write_file(output, *text);
  if (console.format() == Format::json) console.out() << nlohmann::ordered_json{{"written", output}}.dump(2) << '\n';
  else console.out() << output << '\n';
  return true;
}

}  // namespace rackwright::cli
