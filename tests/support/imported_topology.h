#pragma once

#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/shared_data.h"
#include "topologies/importers/importer.h"

namespace rackwright::test {

using namespace topologies;

struct Imported {
  std::optional<Topology> topology;
  std::vector<std::string> findings;
};

inline Imported import_text(std::string_view text) {
  Imported imported;
  Diagnostics diagnostics;
  const auto format = detect_topology_format(text);
  REQUIRE(format);
  imported.topology = import_topology(text, "in", *format, {}, diagnostics);
  for (const Diagnostic& finding : diagnostics.all()) imported.findings.push_back(to_string(finding));
  return imported;
}

inline Imported import_shared(const std::string& name) {
  std::ifstream file(test::shared_data("topologies/" + name), std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return import_text(text.str());
}

inline long count(const Topology& topology, VertexKind kind) { return std::ranges::count(topology.vertices(), kind, &Vertex::kind); }
inline long cables(const Topology& topology, LinkKind kind) { return std::ranges::count(topology.links(), kind, &Link::kind) / 2; }

inline std::optional<LinkIndex> link_between(const Topology& topology, std::string_view from, std::string_view to) {
  for (const LinkIndex link : topology.out_links(topology.find(from).value()))
    if (topology[topology[link].to].name == to) return link;
  return std::nullopt;
}

}  // namespace rackwright::test
