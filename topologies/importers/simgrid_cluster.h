#pragma once

#include <optional>
#include <string>
#include <vector>

#include "topologies/graph/topology_builder.h"
#include "topologies/importers/xml_element.h"

namespace rackwright::topologies {

/// Adds a <cluster> (FLAT, TORUS, FAT_TREE or DRAGONFLY) with its hosts and cables, wired as SimGrid 3.32 does. A FLAT one has
/// the router "PREFIXid_routerSUFFIX" in the middle; with a backbone all traffic of hosts and router shares that.
/// What is wrong is reported.
void add_simgrid_cluster(TopologyBuilder& builder, const XmlElement& cluster, ImportReport& report);

/// The hosts of a <cluster> or <cabinet>: prefix, radical, suffix. Nothing when that is malformed (reported).
std::optional<std::vector<std::string>> simgrid_host_names(const XmlElement& cluster, ImportReport& report);

/// A host or router as a vertex, in the rack called `rack` unless that is empty.
VertexIndex add_simgrid_vertex(TopologyBuilder& builder, std::string name, VertexKind kind, std::string_view rack);

}  // namespace rackwright::topologies
