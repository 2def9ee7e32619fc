#include "traces/readers/arrival_order.h"

#include <algorithm>
#include <utility>

namespace rackwright::traces {
namespace {

class OrderWithin final : public ArrivalOrder {
  auto later() const {
    return [this](std::uint32_t a, std::uint32_t b) { return arrives_before(slots_[b], slots_[a]); };
  }

 public:
  explicit OrderWithin(SimTime lateness) : lateness_(lateness) {}

  void push(CleanRow&& row) override {
    newest_ = held_any_ ? std::max(newest_, row.arrival) : row.arrival;
    held_any_ = true;
    std::uint32_t slot = 0;
    if (free_.empty()) {
      slot = static_cast<std::uint32_t>(slots_.size());
      slots_.emplace_back();
    } else {
      slot = free_.back();
      free_.pop_back();
    }
    std::swap(slots_[slot], row);  // Hands back a row whose buffers can be used again.
    heap_.push_back(slot);
    std::ranges::push_heap(heap_, later());
  }
  void close() override { closed_ = true; }
  bool pop(CleanRow& row) override {
    if (heap_.empty()) return false;
    const bool settled = closed_ || slots_[heap_.front()].arrival + lateness_ <= newest_;
    if (!settled) return false;
    std::ranges::pop_heap(heap_, later());
    std::swap(row, slots_[heap_.back()]);
    free_.push_back(heap_.back());
    heap_.pop_back();
    return true;
  }

 private:

  SimTime lateness_;
  Instant newest_;
  bool held_any_ = false;
  bool closed_ = false;
  std::vector<CleanRow> slots_;
  std::vector<std::uint32_t> free_;
  std::vector<std::uint32_t> heap_;  ///< Slots, the earliest row first.
};

}  // namespace

std::unique_ptr<ArrivalOrder> order_within(SimTime lateness) { return std::make_unique<OrderWithin>(lateness); }

}  // namespace rackwright::traces
