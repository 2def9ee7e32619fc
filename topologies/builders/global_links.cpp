#include "topologies/builders/global_links.h"

namespace rackwright::topologies {

std::vector<GlobalLink> global_links(int groups, int ports) {
  std::vector<GlobalLink> links;
  const int peers = groups - 1;
  if (peers < 1) return links;
  for (int first = 0; first < ports; first += peers)
    for (int distance = 1; distance <= peers; ++distance) {
      const int port = first + distance - 1;
      const int back_port = first + groups - distance - 1;
      if (port >= ports || back_port >= ports) continue;
      for (int group = 0; group < groups; ++group) {
        const int other = (group + distance) % groups;
        if (group < other) links.push_back({group, port, other, back_port});
      }
    }
  return links;
}

}  // namespace rackwright::topologies
