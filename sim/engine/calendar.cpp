#include "sim/engine/calendar.h"

#include <algorithm>

#include "models/base/invariant.h"

namespace rackwright::engine {
namespace {

// An id is the number of uses of a slot in 40 bits above the slot in 24 bits: 16 million events at once.
constexpr int slot_bits = 24;
constexpr std::uint64_t slot_mask = (std::uint64_t{1} << slot_bits) - 1;

constexpr int entity_bits = 29;  // Three bits are left for the phase.
constexpr std::uint32_t largest_entity = (std::uint32_t{1} << entity_bits) - 1;

constexpr std::size_t arity = 4;
constexpr std::size_t fewest_keys_to_rebuild = 64;

}  // namespace

bool Calendar::before(const Key& a, const Key& b) const {
  if (a.time != b.time) return a.time < b.time;
  if (a.rank != b.rank) return a.rank < b.rank;
  const Slot& first = slots_[a.slot];
  const Slot& second = slots_[b.slot];
  if (first.entity != second.entity) return first.entity < second.entity;
  return first.creation < second.creation;
}

std::uint32_t Calendar::claim_slot() {
  if (!free_slots_.empty()) {
    const std::uint32_t slot = free_slots_.back();
    free_slots_.pop_back();
    return slot;
  }
  invariant(slots_.size() <= slot_mask, "more than 16 million events are waiting at once");
  slots_.emplace_back();
  return static_cast<std::uint32_t>(slots_.size() - 1);
}

void Calendar::release_slot(std::uint32_t slot) {
  slots_[slot].handler = nullptr;
  free_slots_.push_back(slot);
}

EventId Calendar::add(SimTime when, Phase phase, std::uint32_t entity, std::uint64_t creation, EventHandler& handler,
                      std::uint64_t token) {
  const std::uint32_t number = claim_slot();
  Slot& slot = slots_[number];
  slot = {&handler, token, creation, slot.uses + 1, entity};
  ++live_;
  heap_.emplace_back();
  const std::uint32_t rank = static_cast<std::uint32_t>(phase) << entity_bits | std::min(entity, largest_entity);
  sift_up(heap_.size() - 1, {when.ps, rank, number});
  return {slot.uses << slot_bits | number};
}

bool Calendar::cancel(EventId event) {
  const std::uint64_t number = event.value & slot_mask;
  if (event.value == 0 || number >= slots_.size()) return false;
  Slot& slot = slots_[number];
  if (!slot.handler || slot.uses != event.value >> slot_bits) return false;
  slot.handler = nullptr;
  --live_;
  drop_dead_front();
  if (heap_.size() > fewest_keys_to_rebuild && heap_.size() > 2 * live_) drop_all_dead();
  return true;
}

Calendar::Event Calendar::take() {
  invariant(!empty(), "an event was taken from an empty calendar");
  const Slot& slot = slots_[heap_.front().slot];
  const Event event{{heap_.front().time}, slot.handler, slot.token};
  --live_;
  pop_key();
  drop_dead_front();
  return event;
}

void Calendar::drop_dead_front() {
  while (!heap_.empty() && !slots_[heap_.front().slot].handler) pop_key();
}

void Calendar::drop_all_dead() {
  std::erase_if(heap_, [this](const Key& key) {
    const bool is_dead = !slots_[key.slot].handler;
    if (is_dead) release_slot(key.slot);
    return is_dead;
  });
  std::ranges::sort(heap_, [this](const Key& a, const Key& b) { return before(a, b); });  // Sorted is a heap.
}

void Calendar::pop_key() {
  release_slot(heap_.front().slot);
  const Key last = heap_.back();
  heap_.pop_back();
  if (!heap_.empty()) sift_down(0, last);
}

void Calendar::sift_up(std::size_t hole, Key key) {
  while (hole > 0) {
    const std::size_t parent = (hole - 1) / arity;
    if (!before(key, heap_[parent])) break;
    heap_[hole] = heap_[parent];
    hole = parent;
  }
  heap_[hole] = key;
}

void Calendar::sift_down(std::size_t hole, Key key) {
  const std::size_t size = heap_.size();
  for (std::size_t child = hole * arity + 1; child < size; child = hole * arity + 1) {
    const std::size_t end = std::min(child + arity, size);
    std::size_t least = child;
    for (++child; child < end; ++child)
      if (before(heap_[child], heap_[least])) least = child;
    if (!before(heap_[least], key)) break;
    heap_[hole] = heap_[least];
    hole = least;
  }
  heap_[hole] = key;
}

}  // namespace rackwright::engine
