#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "models/kernels/group/device_group.h"
#include "models/kernels/table/profile_table.h"

namespace rackwright::kernels {

/// What the part over several GPUs is asked for.
struct GroupOptions {
  std::string out;
  std::vector<std::string> only;  ///< Names of families; empty: all.
  int every = 1;
  std::uint64_t seed = 0;
};

/// Writes what a table holds so far.
using SaveTable = std::function<void()>;

/// Measures between devices 0 and 1 what any number of them would only repeat (peer_copy, peer_overlap, pair_step,
/// pair_power). Throws EnvironmentError when there are not two devices that reach each other's memory.
void profile_pair(const GroupOptions& options);

/// Measures over all devices of the machine (collective, peer_matrix, fan_in) into files that carry their number: those of
/// machines with 2, 4 and 8 lie beside each other. Of two devices only collective has cases: peer_copy holds the rest. Throws
/// EnvironmentError as profile_pair does.
void profile_group(const GroupOptions& options);

}  // namespace rackwright::kernels
