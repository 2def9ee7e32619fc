#include "models/kernels/serve/slot_pool.h"

namespace rackwright::kernels {

SlotPool::SlotPool(int slots) {
  for (int slot = slots; slot-- > 0;) free_.push_back(slot);
}

std::optional<int> SlotPool::take() {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) return std::nullopt;
  const int slot = free_.back();
  free_.pop_back();
  return slot;
}

void SlotPool::give(int slot) {
  const std::lock_guard lock(mutex_);
  free_.push_back(slot);
}

}  // namespace rackwright::kernels
