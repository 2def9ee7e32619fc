#pragma once

#include <cstdint>
#include <vector>

namespace rackwright::serving {

/// Entries of a vector that stand in a ring, the oldest after entry 0 and the newest before it: each has the indices `older` and
/// `newer`. Whoever is in no ring may have any.
template <class Entry>
void append_newest(std::vector<Entry>& entries, std::uint32_t at) {
  const std::uint32_t newest = entries[0].older;
  entries[at].older = newest;
  entries[at].newer = 0;
  entries[newest].newer = at;
  entries[0].older = at;
}

template <class Entry>
void unlink(std::vector<Entry>& entries, std::uint32_t at) {
  entries[entries[at].older].newer = entries[at].newer;
  entries[entries[at].newer].older = entries[at].older;
}

}  // namespace rackwright::serving
