#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topologies/importers/import_report.h"

namespace rackwright::topologies {

/// How near two devices of a host are, from the nearest.
enum class Nearness { self, pix, pxb, phb, node, sys, unknown };

struct Relation {
  Nearness nearness = Nearness::unknown;  ///< Over PCIe; unknown where NVLinks hide it.
  int nvlinks = 0;
  int line = 0;  ///< Where it was read; 0 if not.
  int column = 0;
};

/// The table that `nvidia-smi topo -m` prints, symmetric.
struct RelationMatrix {
  struct Device {
    std::string name;
    bool is_gpu = false;
    std::string cpu_affinity;   ///< "0-23,96-119"; empty if not printed.
    std::string numa_affinity;  ///< "0"; empty if not printed.
    int line = 0;               ///< Of its row; 0 if it has none.
  };
  std::vector<Device> devices;
  std::vector<Relation> relations;  ///< Row by row.

  Relation& at(std::size_t a, std::size_t b) { return relations[a * devices.size() + b]; }
  const Relation& at(std::size_t a, std::size_t b) const { return relations[a * devices.size() + b]; }
};

/// Empty when there is no table; what is wrong is reported.
RelationMatrix read_relation_matrix(std::string_view text, ImportReport& report);

}  // namespace rackwright::topologies
