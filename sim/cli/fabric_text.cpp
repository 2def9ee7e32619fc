#include "sim/cli/fabric_text.h"

#include <fmt/format.h>

#include "models/base/quantity.h"
#include "scenarios/check/checked_scenario.h"

namespace rackwright::cli {
namespace {

std::string parts_text(const topologies::Topology& topology) {
  std::size_t switches = 0;
  std::size_t cards = 0;
  std::size_t cables = 0;
  for (const topologies::Vertex& vertex : topology.vertices()) {
    switches += vertex.kind == topologies::VertexKind::network_switch;
    cards += vertex.kind == topologies::VertexKind::nic;
  }
  for (std::uint32_t i = 0; i < topology.links().size(); i += 2) {
    const topologies::LinkKind kind = topology.links()[i].kind;
    if (kind == topologies::LinkKind::infiniband || kind == topologies::LinkKind::ethernet) cables += topology.links()[i].lanes;
  }
  return fmt::format("Network: {} cards, {} switches, {} cables between nodes\n", cards, switches, cables);
}

}  // namespace

std::string fabric_text(const scenarios::CheckedScenario& scenario, report::TextStyle style) {
  if (!scenario.fabric) return {};
  std::string text = parts_text(scenario.fabric->hall->topology);
  if (scenario.fabric->connections.empty()) return text;
  report::TextTable table({"From", "to", "what", "over", "mechanism", "path", "start"});
  for (const scenarios::ConnectionPlan& plan : scenario.fabric->connections) {
    table.add({scenario.spec.pools[plan.connection.from].name, scenario.spec.pools[plan.connection.to].name, plan.connection.what,
               std::string(to_string(plan.reach)), std::string(to_string(plan.mechanism)), format_quantity(plan.bytes_per_s, "B/s", 3),
               format_quantity(plan.start_s, "s", 3)});
  }
  return text + '\n' + table.text(style);
}

}  // namespace rackwright::cli
