#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "models/base/diagnostic.h"
#include "topologies/graph/topology.h"
#include "topologies/importers/graphml.h"
#include "topologies/importers/ibnetdiscover.h"
#include "topologies/importers/nccl_xml.h"
#include "topologies/importers/nvidia_smi.h"

namespace rackwright::topologies {

enum class TopologyFormat { nvidia_smi, ibnetdiscover, nccl_xml, graphml, simgrid };

std::string_view to_string(TopologyFormat format);
std::optional<TopologyFormat> parse_topology_format(std::string_view name);

/// The format by content, not by name; nothing if it is none of them.
std::optional<TopologyFormat> detect_topology_format(std::string_view text);

struct ImportParameters {
  NvidiaSmiParameters nvidia_smi;
  IbnetdiscoverParameters ibnetdiscover;
  NcclXmlParameters nccl_xml;
  GraphmlParameters graphml;
};

/// The one door to all importers. `file` names the text in diagnostics. Nothing when there were errors.
std::optional<Topology> import_topology(std::string_view text, std::string_view file, TopologyFormat format, const ImportParameters& parameters,
                                        Diagnostics& diagnostics);

/// Reads the file and detects its format. Throws EnvironmentError when it cannot be read.
std::optional<Topology> import_topology_file(const std::string& path, const ImportParameters& parameters, Diagnostics& diagnostics);

}  // namespace rackwright::topologies
