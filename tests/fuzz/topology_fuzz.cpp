/// No input makes an importer crash or hang, and what it accepts is a topology that survives an export.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "models/base/invariant.h"
#include "topologies/exporters/exporters.h"
#include "topologies/importers/importer.h"

using namespace rackwright;
using namespace rackwright::topologies;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Diagnostics diagnostics;
  (void)detect_topology_format(text);
  const auto topology = import_topology(text, "input", TopologyFormat::RACKWRIGHT_FUZZ_FORMAT, {}, diagnostics);
  invariant(topology.has_value() != diagnostics.has_errors(), "an import either fails with an error or succeeds without");
  // Large ones take long to write and tell nothing more.
  if (!topology || topology->vertex_count() > 2000) return 0;
  const auto again = import_topology(export_graphml(*topology), "export", TopologyFormat::graphml, {}, diagnostics);
  invariant(again && again->vertex_count() == topology->vertex_count() && again->cable_count() == topology->cable_count(),
            "an export reads back");
  return 0;
}
