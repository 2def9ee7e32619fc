#include "models/kernels/families/kv_pool.h"

#include <algorithm>

#include "models/kernels/device/check.h"
#include "models/kernels/families/cold_slots.h"

namespace rackwright::kernels {

PoolWindows::PoolWindows(std::size_t needed, std::size_t all_pages, std::size_t page_bytes) : pages(all_pages) {
  if (needed > pages) throw DeviceError("needs more than the share of device memory set aside for KV pages");
  // A model's pool holds free pages too: a table draws from at least 1 GiB.
  constexpr std::size_t window_bytes = 1u << 30;
  window = std::min(pages, std::max(needed, window_bytes / page_bytes));
  slots = std::min(cold_slots(needed * page_bytes), 16);
}

}  // namespace rackwright::kernels
