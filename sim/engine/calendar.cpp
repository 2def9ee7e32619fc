#include "sim/engine/calendar.h"

#include <algorithm>

#include "models/base/invariant.h"

namespace rackwright::engine {
namespace {

// An id is a serial number in 40 bits above the slot in 24 bits: 10^12 events in a run, 16 million at once.
constexpr int slot_bits = 24;
constexpr std::uint64_t slot_mask = (std::uint64_t{1} << slot_bits) - 1;
constexpr std::uint64_t most_additions = std::uint64_t{1} << (64 - slot_bits);
constexpr std::size_t arity = 4;
constexpr std::size_t fewest_keys_to_rebuild = 64;

}  // namespace

bool Calendar::is_dead(const Key& key) const { return slots_[key.id & slot_mask].id != key.id; }

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
  slots_[slot] = {};
  free_slots_.push_back(slot);
  --live_;
}

EventId Calendar::add(SimTime when, Phase phase, std::uint32_t entity, std::uint64_t creation, EventHandler& handler,
                      std::uint64_t token) {
  const std::uint32_t slot = claim_slot();
  invariant(++additions_ < most_additions, "more than 10^12 events in one run");
  const std::uint64_t id = additions_ << slot_bits | slot;
  slots_[slot] = {&handler, token, id};
  ++live_;
  heap_.emplace_back();
  sift_up(heap_.size() - 1, {when.ps, static_cast<std::uint64_t>(phase) << 32 | entity, creation, id});
  return {id};
}

bool Calendar::cancel(EventId event) {
  const std::uint64_t slot = event.value & slot_mask;
  if (event.value == 0 || slot >= slots_.size() || slots_[slot].id != event.value) return false;
  release_slot(static_cast<std::uint32_t>(slot));
  drop_dead_front();
  if (heap_.size() > fewest_keys_to_rebuild && heap_.size() > 2 * live_) drop_all_dead();
  return true;
}

Calendar::Event Calendar::take() {
  invariant(!empty(), "an event was taken from an empty calendar");
  const Key key = heap_.front();
  const std::uint32_t slot = static_cast<std::uint32_t>(key.id & slot_mask);
  const Event event{{key.time}, slots_[slot].handler, slots_[slot].token};
  release_slot(slot);
  pop_key();
  drop_dead_front();
  return event;
}

// The front key is always live, so that first_time() needs no search.
void Calendar::drop_dead_front() {
  while (!heap_.empty() && is_dead(heap_.front())) pop_key();
}

void Calendar::drop_all_dead() {
  std::erase_if(heap_, [this](const Key& key) { return is_dead(key); });
  std::sort(heap_.begin(), heap_.end());  // A sorted array is a heap.
}

void Calendar::pop_key() {
  const Key last = heap_.back();
  heap_.pop_back();
  if (!heap_.empty()) sift_down(0, last);
}

void Calendar::sift_up(std::size_t hole, Key key) {
  while (hole > 0) {
    const std::size_t parent = (hole - 1) / arity;
    if (!(key < heap_[parent])) break;
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
      if (heap_[child] < heap_[least]) least = child;
    if (!(heap_[least] < key)) break;
    heap_[hole] = heap_[least];
    hole = least;
  }
  heap_[hole] = key;
}

}  // namespace rackwright::engine
