#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topologies/importers/import_report.h"

namespace rackwright::topologies {

/// One line of a port in a block of an ibnetdiscover file.
struct IbPort {
  int number = 0;
  std::string peer;  ///< "S-0002c90300…", the name of the other end's block.
  int peer_port = 0;
  double bandwidth = 0;  ///< B/s of data per direction; 0 where the line does not say.
  int line = 0;
};

struct IbNode {
  char type = 'S';          ///< S a switch, H an adapter, R a router.
  std::string id;           ///< "S-0002c90300…"
  std::string description;  ///< The text in quotes after '#'.
  long device_id = 0;
  int port_count = 0;
  int line = 0;
  std::vector<IbPort> ports;
};

/// The blocks of the file in order. What is wrong is reported; unreadable lines are left out.
std::vector<IbNode> read_ib_fabric(std::string_view text, ImportReport& report);

/// Whether a line starts a block: Switch|Ca|Rt PORTS "…
bool is_ib_node(std::string_view line);

/// Data rate in B/s of a name such as "4xNDR" or "12xSDR"; 0 if it is none.
double ib_bandwidth(std::string_view width_and_speed);

}  // namespace rackwright::topologies
