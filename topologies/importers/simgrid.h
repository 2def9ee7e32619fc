#pragma once

#include <optional>
#include <string_view>

#include "models/base/diagnostic.h"
#include "topologies/graph/topology.h"

namespace rackwright::topologies {

/// Reads a SimGrid platform file, version 3 to 4.1: zones (or AS), hosts, routers, links, routes, clusters of all four kinds,
/// cabinets, peers.
///
/// SimGrid has routes over lists of links, not a graph. A graph is made of them: a link that every route crosses between the
/// same two sets of neighbours becomes a cable, and where links meet there is a junction. A link that routes cross in more
/// ways than that (a backbone, a Wi-Fi cell) becomes two vertices with one directed link between them, which all of its traffic
/// shares. Sharing between the two directions of a SHARED link and the lack of it in a FATPIPE one are not kept (noted).
/// Bandwidths are in Bps (bytes) or bps (bits), in Bps without a unit; times in s without one.
/// Not read, and reported where met: regular-expression routes, included files, traces, storage.
std::optional<Topology> import_simgrid(std::string_view text, std::string_view file, Diagnostics& diagnostics);

}  // namespace rackwright::topologies
