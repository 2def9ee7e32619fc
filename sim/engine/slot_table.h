#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "models/base/invariant.h"

namespace rackwright::engine {

/// Values in recycled slots. An id holds its slot in the lower 24 bits and a serial number above it, never used
/// twice, so that an id of something that is gone finds nothing. 0 is nobody's id.
template <class Value>
class SlotTable {
 public:
  static constexpr int slot_bits = 24;
  static constexpr std::uint64_t slot_mask = (std::uint64_t{1} << slot_bits) - 1;

  static constexpr std::uint32_t slot_of(std::uint64_t id) { return static_cast<std::uint32_t>(id & slot_mask); }

  std::uint64_t insert(Value value) {
    std::uint32_t slot = 0;
    if (free_.empty()) {
      invariant(entries_.size() <= slot_mask, "more than 16 million things are kept at once");
      slot = static_cast<std::uint32_t>(entries_.size());
      entries_.emplace_back();
    } else {
      slot = free_.back();
      free_.pop_back();
    }
    entries_[slot] = {++serials_ << slot_bits | slot, std::move(value)};
    return entries_[slot].id;
  }

  /// Null when it is gone.
  const Value* find(std::uint64_t id) const {
    const std::uint64_t slot = id & slot_mask;
    return id != 0 && slot < entries_.size() && entries_[slot].id == id ? &entries_[slot].value : nullptr;
  }
  Value* find(std::uint64_t id) { return const_cast<Value*>(std::as_const(*this).find(id)); }

  /// Of a slot that is taken.
  Value& operator[](std::uint32_t slot) { return entries_[slot].value; }
  const Value& operator[](std::uint32_t slot) const { return entries_[slot].value; }
  std::uint64_t id_of(std::uint32_t slot) const { return entries_[slot].id; }

  /// Frees the slot of something that is there.
  void erase(std::uint32_t slot) {
    entries_[slot] = {};
    free_.push_back(slot);
  }

  /// Ids of all values, the oldest first.
  std::vector<std::uint64_t> ids() const {
    std::vector<std::uint64_t> found;
    for (const Entry& entry : entries_)
      if (entry.id != 0) found.push_back(entry.id);
    std::ranges::sort(found);
    return found;
  }

 private:
  struct Entry {
    std::uint64_t id = 0;  ///< 0 when free.
    Value value;
  };

  std::vector<Entry> entries_;
  std::vector<std::uint32_t> free_;
  std::uint64_t serials_ = 0;
};

}  // namespace rackwright::engine
