#include "sim/cli/topology_report_text.h"

#include <nlohmann/json.hpp>

#include "sim/cli/console.h"
#include "topologies/analysis/topology_report.h"

namespace rackwright::cli {

namespace {

nlohmann::ordered_json as_json(const topologies::TopologyReport& report) {
  auto levels = nlohmann::ordered_json::array();
  for (const topologies::LevelReport& level : report.levels) {
    auto failures = nlohmann::ordered_json::array();
    for (const topologies::FailureImpact& failure : level.failures) {
      failures.push_back({{"what", failure.what}, {"count", failure.count}, {"examined", failure.examined}, {"worst", failure.worst},
                          {"cut_off_share", failure.cut_off}, {"bisection_loss_share", failure.bisection_loss}});
    }
    levels.push_back({{"name", level.name},
                      {"alike", level.alike},
                      {"terminals", level.terminals},
                      {"accelerators", level.weight},
                      {"switches", level.switches},
                      {"cables", level.cables},
                      {"separated_share", level.separated},
                      {"bisection_bytes_per_s", {{"lower", level.bisection.lower}, {"upper", level.bisection.upper}, {"exact", level.bisection.is_exact}}},
                      {"failures", failures}});
  }
  return {{"levels", levels}};
}

}  // namespace

void print_topology_report(const topologies::Topology& topology, Console& console) {
  const topologies::TopologyReport report = topologies::analyze(topology, {});
  if (console.format() == Format::json) console.out() << as_json(report).dump(2) << '\n';
  else console.out() << topologies::to_text(report);
}

}  // namespace rackwright::cli
