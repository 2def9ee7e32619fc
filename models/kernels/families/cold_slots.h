#pragma once

#include <algorithm>
#include <cstddef>

namespace rackwright::kernels {

/// Slots that together hold at least 128 MiB, more than twice the L2 cache of the devices known so far;
/// at least 2, so that consecutive calls never share their cold operand, at most 48.
inline int cold_slots(std::size_t bytes_per_slot) {
  constexpr std::size_t cold_bytes = 128u << 20;
  return static_cast<int>(std::clamp<std::size_t>((cold_bytes + bytes_per_slot - 1) / bytes_per_slot + 1, 2, 48));
}

}  // namespace rackwright::kernels
