#pragma once

#include <cstddef>
#include <cstdint>

namespace rackwright::kernels {

/// One large device allocation, handed out in order and given back as a whole: a case takes what it
/// needs, the next case starts from `mark()`. Allocating per case would cost more time than measuring.
class Arena {
 public:
  /// Throws DeviceError when the device has not that much.
  explicit Arena(std::size_t bytes);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// `count` elements, aligned to 1 KiB. Throws DeviceError when the arena is exhausted.
  template <class T>
  T* take(std::size_t count) {
    return static_cast<T*>(take_bytes(count * sizeof(T)));
  }
  std::size_t mark() const { return used_; }
  void release_to(std::size_t mark) { used_ = mark; }
  std::size_t free_bytes() const { return size_ - used_; }
  std::size_t size() const { return size_; }

 private:
  void* take_bytes(std::size_t bytes);

  std::byte* base_ = nullptr;
  std::size_t size_ = 0;
  std::size_t used_ = 0;
};

/// Gives back at the end of a block what was taken inside it.
class ArenaScope {
 public:
  explicit ArenaScope(Arena& arena) : arena_(arena), mark_(arena.mark()) {}
  ~ArenaScope() { arena_.release_to(mark_); }
  ArenaScope(const ArenaScope&) = delete;
  ArenaScope& operator=(const ArenaScope&) = delete;

 private:
  Arena& arena_;
  std::size_t mark_;
};

}  // namespace rackwright::kernels
