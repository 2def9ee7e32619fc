#pragma once

#include <vector>

namespace rackwright::topologies {

/// One cable between two groups, by the global port that it uses in each.
struct GlobalLink {
  int group_a = 0;
  int port_a = 0;
  int group_b = 0;
  int port_b = 0;
};

/// Joins every two of `groups` groups of `ports` global ports each, in rounds: in one round a group spends one port on
/// each other group (port d - 1 of the round goes to the group d places on, and comes back at port groups - d - 1).
/// The last, incomplete round joins those pairs for which both ends still have a port. Ports left over stay free.
/// With ports = groups - 1 every two groups share exactly one cable (the largest dragonfly).
std::vector<GlobalLink> global_links(int groups, int ports);

}  // namespace rackwright::topologies
