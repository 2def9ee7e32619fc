#include "sim/serving/gap_history.h"

#include <algorithm>

namespace rackwright::serving {

SimTime GapHistory::longest_since(std::int64_t age) const {
  const auto first = std::ranges::upper_bound(falling_, age, {}, &Entry::age);
  return first == falling_.end() ? SimTime{} : first->gap;
}

void GapHistory::forget_until(std::int64_t age) {
  falling_.erase(falling_.begin(), std::ranges::upper_bound(falling_, age, {}, &Entry::age));
}

}  // namespace rackwright::serving
