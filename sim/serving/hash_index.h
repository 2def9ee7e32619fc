#pragma once

#include <cstdint>
#include <vector>

namespace rackwright::serving {

/// From 64-bit hashes to 32-bit indices: open addressing with linear probing, at most half full, and no allocation
/// but when it grows.
class HashIndex {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  std::uint32_t find(std::uint64_t key) const;
  /// The key is not in yet.
  void insert(std::uint64_t key, std::uint32_t value);
  /// The key is in.
  void erase(std::uint64_t key);
  std::size_t size() const { return size_; }

 private:
  struct Slot {
    std::uint64_t key = 0;
    std::uint32_t value = none;  ///< None: the slot is empty.
  };
  std::size_t home(std::uint64_t key) const;
  void put(std::uint64_t key, std::uint32_t value);
  void grow();

  std::vector<Slot> slots_;
  std::size_t size_ = 0;
};

}  // namespace rackwright::serving
