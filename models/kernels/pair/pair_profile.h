#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rackwright::kernels {

/// What the two-GPU part of a profile is asked for.
struct PairOptions {
  std::string out;
  std::vector<std::string> only;  ///< Of collective, peer_copy, peer_overlap, pair_step, pair_power; empty: all.
  int every = 1;
  std::uint64_t seed = 0;
};

/// Measures transfers and collectives between devices 0 and 1. Throws EnvironmentError when there are
/// not two devices that reach each other's memory.
void profile_pair(const PairOptions& options);

}  // namespace rackwright::kernels
