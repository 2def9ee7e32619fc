#include "sim/serving/instance_group.h"

#include <algorithm>

namespace rackwright::serving {

void InstanceGroup::add(Instance& instance) {
  instances_.push_back(&instance);
  watchers_.push_back(nullptr);
  places_.push_back(nowhere);
  set_active(members() - 1, Takes::requests);
}

void InstanceGroup::set_active(std::uint32_t member, Takes what) {
  const auto at = std::ranges::lower_bound(active_, member);
  const bool is_active = at != active_.end() && *at == member;
  if (is_active == (what == Takes::requests)) return;
  if (what == Takes::requests) {
    active_.insert(at, member);
    heap_.push_back(member);
    sift_up(static_cast<std::uint32_t>(heap_.size()) - 1);
    return;
  }
  active_.erase(at);
  const std::uint32_t hole = places_[member];
  const std::uint32_t last = heap_.back();
  heap_.pop_back();
  places_[member] = nowhere;
  if (last == member) return;
  put(hole, last);
  sift_up(hole);
  sift_down(places_[last]);
}

void InstanceGroup::on_load_changed(std::uint32_t member) {
  if (places_[member] != nowhere) {
    sift_up(places_[member]);
    sift_down(places_[member]);
  }
  if (watchers_[member] != nullptr) watchers_[member]->on_load_changed(member);
}

std::uint32_t InstanceGroup::least_outstanding() const {
  const std::uint32_t member = heap_.front();
  if (active_.size() == instances_.size()) return member;
  return static_cast<std::uint32_t>(std::ranges::lower_bound(active_, member) - active_.begin());
}

double InstanceGroup::kv_used(std::uint32_t index) const {
  Instance& instance = *instances_[active_[index]];
  return static_cast<double>(instance.kv_blocks_used()) / static_cast<double>(instance.spec().kv_blocks);
}

bool InstanceGroup::less(std::uint32_t a, std::uint32_t b) const {
  const int load_a = instances_[a]->outstanding();
  const int load_b = instances_[b]->outstanding();
  return load_a != load_b ? load_a < load_b : a < b;
}

void InstanceGroup::put(std::uint32_t place, std::uint32_t member) {
  heap_[place] = member;
  places_[member] = place;
}

void InstanceGroup::sift_up(std::uint32_t place) {
  const std::uint32_t member = heap_[place];
  for (; place > 0 && less(member, heap_[(place - 1) / 2]); place = (place - 1) / 2) put(place, heap_[(place - 1) / 2]);
  put(place, member);
}

void InstanceGroup::sift_down(std::uint32_t place) {
  const std::uint32_t member = heap_[place];
  for (std::uint32_t child = 2 * place + 1; child < heap_.size(); child = 2 * place + 1) {
    if (child + 1 < heap_.size() && less(heap_[child + 1], heap_[child])) ++child;
    if (!less(heap_[child], member)) break;
    put(place, heap_[child]);
    place = child;
  }
  put(place, member);
}

}  // namespace rackwright::serving
