#pragma once

#include <cstdint>
#include <deque>
#include <unordered_map>
#include <utility>
#include <vector>

#include "models/base/time.h"
#include "traces/records/request.h"

namespace rackwright::serving {

/// Requests that wait for another one to complete.
///
/// Only requests of a session can be parents, so that a stream without sessions costs nothing. The end of a request is
/// remembered for an hour of simulated time: a child that comes later was due at its own arrival, unless somebody
/// thinks for more than an hour.
class Dependents {
 public:
  static constexpr SimTime memory{3'600 * picoseconds_per_second};

  /// A request of a session is under way.
  void open(const traces::Request& request);
  /// What a request that has a parent does, now that its own arrival has come.
  enum class Turn { wait, due, lost };
  /// `due`: it arrives at the instant returned. `wait`: the request was moved here. `lost`: its parent did not complete.
  std::pair<Turn, SimTime> take(traces::Request& request, SimTime now);
  /// A request of a session has left. Returns the children that waited for it.
  std::vector<traces::Request> close(std::uint64_t request, bool has_completed, SimTime now);
  std::size_t waiting() const { return waiting_count_; }
  /// A request that waits and its parent; to be asked when some do.
  std::pair<std::uint64_t, std::uint64_t> first_waiting() const;

 private:
  struct Fate {
    bool is_over = false;
    bool has_completed = false;
    SimTime end;
    std::vector<traces::Request> children;
  };
  std::unordered_map<std::uint64_t, Fate> fates_;
  std::deque<std::pair<SimTime, std::uint64_t>> over_;  ///< In order of ending.
  std::size_t waiting_count_ = 0;
};

}  // namespace rackwright::serving
