#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "sim/serving/sequence.h"

namespace rackwright::serving {

/// A binary heap of sequences that know their place in it (`Sequence::slot`), so that any of them can leave
/// in O(log n). `Entry` has a `SequenceId sequence` and an operator<; a sequence is in one heap at a time.
template <class Entry>
class SequenceHeap {
 public:
  explicit SequenceHeap(SequencePool& pool) : pool_(pool) {}

  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }
  const Entry& front() const { return entries_.front(); }
  const Entry& of(SequenceId id) const { return entries_[pool_[id].slot]; }
  /// In no useful order, but for the first.
  const std::vector<Entry>& entries() const { return entries_; }

  void push(const Entry& entry) {
    entries_.push_back(entry);
    sift_up(entries_.size() - 1, entry);
  }

  /// Changes an entry in what does not order it.
  template <class Change>
  void change(SequenceId id, Change change) {
    change(entries_[pool_[id].slot]);
  }

  /// Changes every entry, in no useful order; their order may change.
  template <class Change>
  void change_all(Change change) {
    for (Entry& entry : entries_) change(entry);
    for (std::size_t i = entries_.size() / 2; i-- > 0;) sift_down(i, entries_[i]);
  }

  Entry remove(SequenceId id) {
    const std::size_t hole = pool_[id].slot;
    const Entry removed = entries_[hole];
    const Entry last = entries_.back();
    entries_.pop_back();
    if (hole == entries_.size()) return removed;
    if (hole > 0 && last < entries_[(hole - 1) / 2]) sift_up(hole, last);
    else sift_down(hole, last);
    return removed;
  }

 private:
  void put(std::size_t place, const Entry& entry) {
    entries_[place] = entry;
    pool_[entry.sequence].slot = static_cast<std::uint32_t>(place);
  }

  void sift_up(std::size_t hole, const Entry entry) {
    for (; hole > 0 && entry < entries_[(hole - 1) / 2]; hole = (hole - 1) / 2) put(hole, entries_[(hole - 1) / 2]);
    put(hole, entry);
  }

  void sift_down(std::size_t hole, const Entry entry) {
    for (std::size_t child = 2 * hole + 1; child < entries_.size(); child = 2 * hole + 1) {
      if (child + 1 < entries_.size() && entries_[child + 1] < entries_[child]) ++child;
      if (!(entries_[child] < entry)) break;
      put(hole, entries_[child]);
      hole = child;
    }
    put(hole, entry);
  }

  SequencePool& pool_;
  std::vector<Entry> entries_;
};

}  // namespace rackwright::serving
