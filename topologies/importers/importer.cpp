#include "topologies/importers/importer.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "models/base/invariant.h"
#include "topologies/graph/name_table.h"
#include "topologies/importers/simgrid.h"

namespace rackwright::topologies {

namespace {

constexpr NameTable<5> format_names{"nvidia-smi", "ibnetdiscover", "nccl-xml", "graphml", "simgrid"};

/// The name of the first element, past a declaration, comments and a document type; empty if it is not XML.
std::string_view root_name(std::string_view text) {
  for (std::size_t at = text.find('<'); at != std::string_view::npos; at = text.find('<', at + 1)) {
    std::string_view rest = text.substr(at + 1);
    if (rest.starts_with("!--")) {
      const std::size_t end = rest.find("-->");
      if (end == std::string_view::npos) return {};
      at += end + 3;
    } else if (!rest.starts_with('!') && !rest.starts_with('?')) {
      const std::string_view name = rest.substr(0, rest.find_first_of(" \t\r\n/>"));
      return name.substr(name.rfind(':') + 1);  // npos + 1 is 0.
    }
  }
  return {};
}

}  // namespace

std::string_view to_string(TopologyFormat format) { return format_names[static_cast<std::size_t>(format)]; }
std::optional<TopologyFormat> parse_topology_format(std::string_view name) { return find_name<TopologyFormat>(format_names, name); }

std::optional<TopologyFormat> detect_topology_format(std::string_view text) {
  // The tools' own outputs may hold a '<' in a description, so they are looked for first.
  if (is_ibnetdiscover(text)) return TopologyFormat::ibnetdiscover;
  if (is_nvidia_smi(text)) return TopologyFormat::nvidia_smi;
  const std::string_view root = root_name(text);
  if (root == "graphml") return TopologyFormat::graphml;
  if (root == "platform" || root == "platform_description") return TopologyFormat::simgrid;
  if (root == "system" || root == "graphs") return TopologyFormat::nccl_xml;
  return std::nullopt;
}

std::optional<Topology> import_topology(std::string_view text, std::string_view file, TopologyFormat format, const ImportParameters& parameters,
                                        Diagnostics& diagnostics) {
  switch (format) {
    case TopologyFormat::nvidia_smi: return import_nvidia_smi(text, file, parameters.nvidia_smi, diagnostics);
    case TopologyFormat::ibnetdiscover: return import_ibnetdiscover(text, file, parameters.ibnetdiscover, diagnostics);
    case TopologyFormat::nccl_xml: return import_nccl_xml(text, file, parameters.nccl_xml, diagnostics);
    case TopologyFormat::graphml: return import_graphml(text, file, parameters.graphml, diagnostics);
    case TopologyFormat::simgrid: return import_simgrid(text, file, diagnostics);
  }
  return std::nullopt;
}

std::optional<Topology> import_topology_file(const std::string& path, const ImportParameters& parameters, Diagnostics& diagnostics) {
  if (std::error_code ignored; std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored)) {
    diagnostics.error({path}, {}, "a topology must be a regular file");
    return std::nullopt;
  }
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw EnvironmentError(fmt::format("cannot read the topology '{}': {}", path, std::strerror(errno)));
  const std::string text((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
  if (stream.bad()) throw EnvironmentError(fmt::format("reading the topology '{}' failed", path));
  const std::optional<TopologyFormat> format = detect_topology_format(text);
  if (!format) {
    diagnostics.error({path}, {}, "the format of this topology is not known", "known: nvidia-smi topo -m, ibnetdiscover, NCCL XML, GraphML, SimGrid platform");
    return std::nullopt;
  }
  return import_topology(text, path, *format, parameters, diagnostics);
}

}  // namespace rackwright::topologies
