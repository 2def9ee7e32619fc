#pragma once

#include <cstdint>
#include <vector>

#include "models/base/time.h"

namespace rackwright::serving {

/// The gaps between a decode group's steps, by the group's age after the step, kept only as far as they can
/// still be the longest since some age: entries fall from old to new.
class GapHistory {
 public:
  /// Ages never decrease.
  void push(std::int64_t age, SimTime gap) {
    while (!falling_.empty() && falling_.back().gap <= gap) falling_.pop_back();
    falling_.push_back({age, gap});
  }

  /// The longest gap of a step after which the group was older than `age`; 0 when there was none.
  SimTime longest_since(std::int64_t age) const;
  /// Drops what no question about `age` or later needs.
  void forget_until(std::int64_t age);
  void clear() { falling_.clear(); }
  std::size_t size() const { return falling_.size(); }

 private:
  struct Entry {
    std::int64_t age = 0;
    SimTime gap;
  };
  std::vector<Entry> falling_;
};

}  // namespace rackwright::serving
