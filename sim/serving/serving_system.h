#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/engine/engine.h"
#include "sim/metrics/run_observer.h"
#include "sim/serving/dependents.h"
#include "sim/serving/instance.h"
#include "sim/serving/instance_group.h"
#include "sim/serving/router.h"
#include "sim/serving/sequence.h"
#include "traces/records/request.h"

namespace rackwright::serving {

struct PoolSpec {
  std::string name;
  std::string model;  ///< Requests for this model; "" takes every model that no other pool names.
  int replicas = 1;
  InstanceSpec instance;
  std::int64_t max_context_tokens = 0;  ///< Input and output of one request; 0 means no limit.
  int max_waiting = 0;  ///< Requests queued at one instance, beyond which it turns others away; 0 means no limit.
};

/// How requests of one class (a name in the trace) are treated.
struct RequestClassSpec {
  std::string name;
  std::int32_t priority = 0;            ///< Lower runs first, under a policy that knows priorities.
  SimTime first_token_within = SimTime::max();  ///< After arrival: the deadline, under a policy that knows deadlines.
  SimTime timeout = SimTime::max();     ///< After arrival, when the client gives up; max means never.
};

struct ServingSpec {
  std::vector<PoolSpec> pools;
  std::shared_ptr<const Router> router;
  std::vector<RequestClassSpec> classes;
  Jumping jumping = Jumping::on;
};

/// Why a run stopped making progress: the first request that waits, and for what.
struct Stall {
  std::uint64_t request = 0;
  std::string resource;
};

/// What became of the requests; total = completed + rejected + failed + cancelled + in flight.
struct ServingCounts {
  std::uint64_t total = 0;
  std::uint64_t completed = 0;
  std::uint64_t rejected = 0;
  std::uint64_t failed = 0;
  std::uint64_t cancelled = 0;
  std::uint64_t in_flight = 0;
};

/// The serving side of a run: pulls requests from their source, one arrival ahead, routes them to the instances of
/// the pools that serve their model, and reports to the observer what becomes of them. A request with a parent waits
/// for the parent to complete, and arrives when its think time has passed, not before the arrival in the source; when
/// the parent does not complete, it is cancelled.
///
///   ServingSystem system(engine, spec, source, observer);   // all four outlive the run
///   system.start();
///   engine.run();
///   const std::optional<Stall> stall = system.finish();     // checks the conservation laws
class ServingSystem final : private engine::EventHandler, private InstanceOwner {
 public:
  ServingSystem(engine::Engine& engine, const ServingSpec& spec, traces::RequestSource& source, metrics::RunObserver& observer);

  /// Puts the first arrival into the calendar.
  void start();
  /// After the run. Says why requests are left, if some are although nothing more can happen.
  std::optional<Stall> finish() const;

  const ServingCounts& counts() const { return counts_; }
  /// Engine steps that have ended, over all instances: what a watchdog looks at. Called in `Phase::control` or after.
  std::int64_t steps_ended();
  std::size_t instance_count() const { return instances_.size(); }
  Instance& instance(std::size_t index) { return instances_[index]; }

 private:
  void on_event(std::uint64_t token) override;
  void on_completed(SequenceId id) override;
  void on_cancelled_gone(SequenceId id) override;
  void on_end_of_time(std::uint32_t instance) override;

  void pull();
  void take_next();
  void arrive(traces::Request& request);
  void park(traces::Request request, SimTime until);
  void give_up(SequenceId id);
  void route(SequenceId id, std::uint32_t group_index);
  void reject(SequenceId id, metrics::Cause cause);
  void report(SequenceId id, metrics::Outcome outcome, metrics::Cause cause);
  void lose(std::vector<traces::Request> requests);
  void count_out(const metrics::RequestOutcome& report);
  void on_load_changed(std::uint32_t instance);
  int group_of(std::uint32_t model);
  const RequestClassSpec* class_of(std::uint32_t request_class);

  struct Placement {
    std::uint32_t group = 0;
    std::uint32_t index = 0;  ///< Within the group.
  };

  engine::Engine& engine_;
  const ServingSpec& spec_;
  traces::RequestSource& source_;
  metrics::RunObserver& observer_;

  SequencePool pool_;
  std::deque<Instance> instances_;  ///< Fixed in number; a deque because an instance does not move.
  std::vector<Placement> placements_;
  std::vector<InstanceGroup> groups_;
  std::vector<std::string> group_models_;
  std::vector<int> group_of_model_;  ///< By the source's name id; -1 none, -2 not looked up yet.
  std::vector<int> class_of_name_;

  traces::Request next_;
  Dependents dependents_;
  std::vector<traces::Request> parked_;  ///< Children whose parent has completed, in their think time; recycled slots.
  std::vector<std::uint32_t> free_parked_;
  ServingCounts counts_;
  std::size_t leaving_ = 0;  ///< Cancelled, and still part of a step in flight.
  std::optional<Stall> stall_;
};

}  // namespace rackwright::serving
