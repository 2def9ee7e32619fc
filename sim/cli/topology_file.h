#pragma once

#include <optional>
#include <string>

namespace rackwright::topologies {
class Topology;
}

namespace rackwright::cli {

class Console;

/// Writes a topology in the form that the name of the file asks for: .graphml, .xml (SimGrid) or .dot (Graphviz). False,
/// with an error on the console, when it asks for none.
bool write_topology(const topologies::Topology& topology, const std::string& output, Console& console);

}  // namespace rackwright::cli
