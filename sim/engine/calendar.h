#pragma once

#include <cstdint>
#include <vector>

#include "sim/engine/engine.h"

namespace rackwright::engine {

/// The events to come, in the total order (time, phase, entity, creation).
///
/// A four-ary heap of keys over recycled slots: nothing is allocated per event. A cancelled event leaves a
/// dead key behind; when most keys are dead the heap is rebuilt without them, so that a plan which is
/// dropped and made again for ever takes no more room.
class Calendar {
 public:
  struct Event {
    SimTime when;
    EventHandler* handler = nullptr;
    std::uint64_t token = 0;
  };

  EventId add(SimTime when, Phase phase, std::uint32_t entity, EventHandler& handler, std::uint64_t token) {
    return add(when, phase, entity, next_creation(), handler, token);
  }
  /// An event that keeps an earlier creation although its time is planned anew. No two waiting events share one.
  EventId add(SimTime when, Phase phase, std::uint32_t entity, std::uint64_t creation, EventHandler& handler,
              std::uint64_t token);
  std::uint64_t next_creation() { return ++creations_; }
  /// False when the event was taken or cancelled before.
  bool cancel(EventId event);

  bool empty() const { return live_ == 0; }
  /// The instant of the first event, `SimTime::max()` when there is none.
  SimTime first_time() const { return empty() ? SimTime::max() : SimTime{heap_.front().time}; }
  /// Takes the first event. The calendar is not empty.
  Event take();

 private:
  /// Sixteen bytes, so that the four children of a key fill one cache line. Ties beyond what it holds are
  /// broken by the slot, which therefore stays taken until its key leaves the heap.
  struct Key {
    std::int64_t time;
    std::uint32_t rank;  ///< Phase, then entity as far as it fits.
    std::uint32_t slot;
  };
  struct Slot {
    EventHandler* handler = nullptr;  ///< Null when cancelled or free.
    std::uint64_t token = 0;
    std::uint64_t creation = 0;
    std::uint64_t uses = 0;  ///< How often it was taken: with its number, the event's id.
    std::uint32_t entity = 0;
  };

  bool before(const Key& a, const Key& b) const;
  std::uint32_t claim_slot();
  void release_slot(std::uint32_t slot);
  void pop_key();
  void drop_dead_front();
  void drop_all_dead();
  void sift_up(std::size_t hole, Key key);
  void sift_down(std::size_t hole, Key key);

  std::vector<Key> heap_;  ///< The front is never dead.
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_slots_;
  std::uint64_t creations_ = 0;
  std::size_t live_ = 0;
};

}  // namespace rackwright::engine
