#pragma once

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "sim/engine/engine.h"
#include "sim/metrics/run_observer.h"
#include "sim/serving/instance_group.h"

namespace rackwright::serving {

/// When replicas of a pool are switched on and off.
struct ScalingSpec {
  double target_outstanding = 0;  ///< Requests queued or running for each replica; 0: every replica is always on.
  int min_replicas = 1;           ///< On from the start.
  SimTime period;                 ///< Between two looks at the load; above 0.
  SimTime down_window;            ///< The pool keeps the most replicas that any look within this time asked for.
  SimTime load_time;              ///< From the decision until the replica takes requests: start and weights.

  bool is_on() const { return target_outstanding > 0; }
};

/// Switches the replicas of one pool: every period it wants
///
///   replicas = outstanding requests / target_outstanding, rounded up, between the least and all of them
///
/// (Kubernetes' horizontal pod autoscaler with an average-value target, without its tolerance of 10 %). A new replica
/// loads its weights first. One that goes takes no more requests, finishes what it has, and is off then; what it had
/// cached is gone. It looks only while there is something to do, so that a run ends.
class Autoscaler final : public LoadWatcher, private engine::EventHandler {
 public:
  /// The pool's instances are members `first` to `first + count - 1` of the group.
  Autoscaler(engine::Engine& engine, const ScalingSpec& spec, InstanceGroup& group, std::uint32_t first, std::uint32_t count,
             metrics::RunObserver& observer);

  void on_load_changed(std::uint32_t member) override;
  /// Reports how long replicas have been on when a run is over. Nothing follows.
  void close();

 private:
  enum class State : std::uint8_t { off, loading, on, draining };
  struct Replica {
    State state = State::off;
    SimTime since;  ///< Has drawn power from then on, as far as it was not reported.
    engine::EventId ready;
  };

  void on_event(std::uint64_t token) override;
  void look();
  int wanted() const;
  int most_wanted_lately(int now_wanted);
  void grow(int by);
  void shrink(int by);
  void switch_on(std::uint32_t replica);
  void let_go(std::uint32_t replica);
  void switch_off_when_idle(std::uint32_t replica);
  void report(std::uint32_t replica);
  int count(State state) const;
  Instance& instance(std::uint32_t replica) const { return group_.member(first_ + replica); }

  engine::Engine& engine_;
  const ScalingSpec& spec_;
  InstanceGroup& group_;
  std::uint32_t first_;
  metrics::RunObserver& observer_;
  std::vector<Replica> replicas_;
  std::deque<std::pair<SimTime, int>> looks_;
  bool is_looking_ = false;
  bool has_begun_ = false;
};

}  // namespace rackwright::serving
