#include "sim/serving/hash_index.h"

#include <utility>

#include "models/base/invariant.h"

namespace rackwright::serving {

// Fibonacci hashing: keys may be small dense integers.
std::size_t HashIndex::home(std::uint64_t key) const {
  return static_cast<std::size_t>((key * 0x9E3779B97F4A7C15u) >> 20) & (slots_.size() - 1);
}

std::uint32_t HashIndex::find(std::uint64_t key) const {
  if (slots_.empty()) return none;
  for (std::size_t at = home(key); slots_[at].value != none; at = (at + 1) & (slots_.size() - 1))
    if (slots_[at].key == key) return slots_[at].value;
  return none;
}

void HashIndex::insert(std::uint64_t key, std::uint32_t value) {
  if (2 * (size_ + 1) > slots_.size()) grow();
  put(key, value);
  ++size_;
}

void HashIndex::put(std::uint64_t key, std::uint32_t value) {
  std::size_t at = home(key);
  while (slots_[at].value != none) at = (at + 1) & (slots_.size() - 1);
  slots_[at] = {key, value};
}

void HashIndex::erase(std::uint64_t key) {
  invariant(size_ > 0, "a key that is erased is in the index");
  const std::size_t mask = slots_.size() - 1;
  std::size_t hole = home(key);
  while (slots_[hole].key != key || slots_[hole].value == none) hole = (hole + 1) & mask;
  // Entries behind the hole move up unless their home lies between.
  for (std::size_t at = (hole + 1) & mask; slots_[at].value != none; at = (at + 1) & mask) {
    if (((at - home(slots_[at].key)) & mask) < ((at - hole) & mask)) continue;
    slots_[hole] = slots_[at];
    hole = at;
  }
  slots_[hole] = {};
  --size_;
}

void HashIndex::grow() {
  std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(slots_.empty() ? 64 : 2 * slots_.size()));
  for (const Slot& slot : old)
    if (slot.value != none) put(slot.key, slot.value);
}

}  // namespace rackwright::serving
