#pragma once

namespace rackwright::topologies {
class Topology;
}

namespace rackwright::cli {

class Console;

/// Analyses a topology and prints the report, as text or JSON.
void print_topology_report(const topologies::Topology& topology, Console& console);

}  // namespace rackwright::cli
