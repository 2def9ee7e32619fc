#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "models/kernels/group/device_group.h"
#include "models/kernels/measure/mode.h"
#include "models/kernels/table/profile_table.h"

namespace rackwright::kernels {

/// One call that several ranks make together.
struct GroupCall {
  /// Puts the call on a rank's stream. Its input starts `offset` bytes into send buffers and its output `landings` times
  /// that into receive buffers.
  std::function<void(int rank, std::size_t offset)> enqueue;
  /// 16-byte words of what landed on a rank by the call at `offset` that are not what they must be.
  std::function<unsigned long long(int rank, std::size_t offset)> wrong;
  std::function<bool(int rank)> takes_part = [](int) { return true; };
  std::size_t bytes = 0;     ///< Of one input.
  std::size_t landings = 1;  ///< Inputs' worth that land in one rank.
  Mode mode = Mode::graph;
  std::uint64_t seed = 0;
};

/// Checks a call, times it, and checks it again on other inputs.
///
/// Each of 20 repetitions draws new inputs on every device, poisons the outputs and makes enough calls for 400 us, each on
/// another part of the buffers, between two events. All are enqueued before the first runs, as one graph a device or one by
/// one; the devices start together; the slowest rank counts. Small inputs were
/// written shortly before and may be in the cache, as in a model; from a quarter of it on a repetition walks through more
/// than it holds. Twice as long a rest follows. Throws DeviceError when a call fails or a result is wrong.
TimedResult time_group(const DeviceGroup& group, const GroupCall& call);

}  // namespace rackwright::kernels
