#include "sim/serving/dependents.h"

#include <algorithm>

namespace rackwright::serving {

void Dependents::open(const traces::Request& request) {
  if (request.session != 0) fates_.try_emplace(request.id);
}

std::pair<Dependents::Turn, SimTime> Dependents::take(traces::Request& request, SimTime now) {
  const auto parent = fates_.find(*request.parent);
  if (parent == fates_.end()) return {Turn::due, now};
  Fate& fate = parent->second;
  if (fate.is_over) {
    if (!fate.has_completed) return {Turn::lost, now};
    return {Turn::due, std::max(now, fate.end + request.think_time)};
  }
  fate.children.push_back(std::move(request));
  ++waiting_count_;
  return {Turn::wait, now};
}

std::vector<traces::Request> Dependents::close(std::uint64_t request, bool has_completed, SimTime now) {
  for (; !over_.empty() && over_.front().first + memory < now; over_.pop_front()) fates_.erase(over_.front().second);
  const auto found = fates_.find(request);
  if (found == fates_.end()) return {};
  Fate& fate = found->second;
  fate.is_over = true;
  fate.has_completed = has_completed;
  fate.end = now;
  over_.emplace_back(now, request);
  waiting_count_ -= fate.children.size();
  return std::exchange(fate.children, {});
}

std::pair<std::uint64_t, std::uint64_t> Dependents::first_waiting() const {
  std::pair<std::uint64_t, std::uint64_t> first{~std::uint64_t{0}, 0};
  for (const auto& [parent, fate] : fates_)
    for (const traces::Request& child : fate.children) first = std::min(first, {child.id, parent});
  return first;
}

}  // namespace rackwright::serving
