#pragma once

#include <mutex>
#include <optional>
#include <vector>

namespace rackwright::kernels {

/// Places for sequences in a KV memory. Two threads may take and give at once.
class SlotPool {
 public:
  explicit SlotPool(int slots);

  /// None when all are taken.
  std::optional<int> take();
  void give(int slot);

 private:
  std::mutex mutex_;
  std::vector<int> free_;
};

}  // namespace rackwright::kernels
