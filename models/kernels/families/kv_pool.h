#pragma once

#include <cuda_bf16.h>

#include <cstddef>

namespace rackwright::kernels {

/// KV memory that all decode cases share: filled once, read through page tables that change with every
/// repetition, so that each repetition meets other keys without refilling tens of gigabytes.
struct KvPool {
  const __nv_bfloat16* elements = nullptr;
  std::size_t count = 0;
};

/// How one case lies in a pool: each slot has a window of pages, windows spread over the whole pool.
struct PoolWindows {
  /// `needed` pages a slot, of `pages` in all. Throws DeviceError when one slot does not fit.
  PoolWindows(std::size_t needed, std::size_t pages, std::size_t page_bytes);
  /// First page of a slot's window.
  std::size_t start(int slot) const { return slots > 1 ? (pages - window) / (slots - 1) * slot : 0; }

  std::size_t pages;
  std::size_t window;  ///< Pages that the slot's page table draws from.
  int slots;
};

}  // namespace rackwright::kernels
