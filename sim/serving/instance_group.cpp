#include "sim/serving/instance_group.h"

namespace rackwright::serving {

void InstanceGroup::add(Instance& instance) {
  const std::uint32_t index = size();
  instances_.push_back(&instance);
  heap_.push_back(index);
  places_.push_back(index);
  sift_up(index);
}

void InstanceGroup::on_load_changed(std::uint32_t index) {
  sift_up(places_[index]);
  sift_down(places_[index]);
}

double InstanceGroup::kv_used(std::uint32_t index) const {
  Instance& instance = *instances_[index];
  return static_cast<double>(instance.kv_blocks_used()) / static_cast<double>(instance.spec().kv_blocks);
}

bool InstanceGroup::less(std::uint32_t a, std::uint32_t b) const {
  const int load_a = instances_[a]->outstanding();
  const int load_b = instances_[b]->outstanding();
  return load_a != load_b ? load_a < load_b : a < b;
}

void InstanceGroup::put(std::uint32_t place, std::uint32_t index) {
  heap_[place] = index;
  places_[index] = place;
}

void InstanceGroup::sift_up(std::uint32_t place) {
  const std::uint32_t index = heap_[place];
  for (; place > 0 && less(index, heap_[(place - 1) / 2]); place = (place - 1) / 2) put(place, heap_[(place - 1) / 2]);
  put(place, index);
}

void InstanceGroup::sift_down(std::uint32_t place) {
  const std::uint32_t index = heap_[place];
  for (std::uint32_t child = 2 * place + 1; child < heap_.size(); child = 2 * place + 1) {
    if (child + 1 < heap_.size() && less(heap_[child + 1], heap_[child])) ++child;
    if (!less(heap_[child], index)) break;
    put(place, heap_[child]);
    place = child;
  }
  put(place, index);
}

}  // namespace rackwright::serving
