#pragma once

#include <cstdint>
#include <vector>

#include "sim/engine/engine.h"
#include "sim/serving/dependents.h"
#include "traces/records/request.h"

namespace rackwright::serving {

/// Told when requests come.
class IntakeOwner {
 public:
  virtual ~IntakeOwner() = default;
  /// A request was read from the source and is in the system from now on.
  virtual void on_taken() = 0;
  /// It arrives at the front door now. Its buffers may be taken.
  virtual void on_arrival(traces::Request& request) = 0;
  /// It will never arrive: the request it depends on did not complete.
  virtual void on_lost(const traces::Request& request) = 0;
};

/// Pulls requests from their source, one arrival ahead, and holds back those that depend on another one.
class Intake final : private engine::EventHandler {
 public:
  Intake(engine::Engine& engine, traces::RequestSource& source, IntakeOwner& owner)
      : engine_(engine), source_(source), owner_(owner) {}

  void start() { pull(); }
  /// A request of a session has left the system.
  void on_left(std::uint64_t request, bool has_completed);
  /// Requests taken that have not arrived.
  std::size_t held_back() const { return dependents_.waiting() + parked_.size() - free_parked_.size(); }
  const Dependents& dependents() const { return dependents_; }

 private:
  void on_event(std::uint64_t token) override;
  void pull();
  void take_next();
  void park(traces::Request request, SimTime until);
  void lose(std::vector<traces::Request> requests);

  engine::Engine& engine_;
  traces::RequestSource& source_;
  IntakeOwner& owner_;
  traces::Request next_;
  Dependents dependents_;
  std::vector<traces::Request> parked_;  ///< Children whose parent has completed, in their think time; recycled slots.
  std::vector<std::uint64_t> free_parked_;
};

}  // namespace rackwright::serving
