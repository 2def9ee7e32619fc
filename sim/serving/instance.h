#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "models/cost/step_cost.h"
#include "sim/engine/engine.h"
#include "sim/metrics/run_observer.h"
#include "sim/serving/scheduler.h"
#include "sim/serving/scheduler_policy.h"
#include "sim/serving/sequence.h"
#include "sim/serving/step_clock.h"

namespace rackwright::serving {

/// What part of a request's work an instance does.
enum class Role {
  colocated,  ///< All of it.
  prefill,    ///< The prompt and the first token; the KV then moves to an instance that decodes.
  decode,     ///< The tokens after the first.
};

/// What one instance of a pool is: devices that together run one model, and how they are driven.
struct InstanceSpec {
  std::shared_ptr<const SchedulerPolicy> policy;
  std::shared_ptr<const cost::StepCostModel> cost;
  std::int64_t kv_blocks = 0;
  std::int32_t block_tokens = 16;
  PrefixCaching prefix_caching = PrefixCaching::off;
  Role role = Role::colocated;
};

/// Off: every step is an event of its own. Results are the same, bit for bit.
enum class Jumping { on, off };

/// Where an instance stands in the run.
struct InstancePlace {
  std::uint32_t pool = 0;
  std::uint32_t index = 0;   ///< Over all instances of the run.
  std::uint32_t entity = 0;  ///< Orders its events among others at one instant.
};

/// Told when a sequence leaves; the sequence is out of the instance then, and its slot is the owner's to release.
class InstanceOwner {
 public:
  virtual ~InstanceOwner() = default;
  virtual void on_completed(SequenceId id) = 0;
  /// Its prompt is computed and its first token emitted; `kv_hold` says where its KV is kept.
  virtual void on_prefilled(SequenceId id) = 0;
  /// Blocks are taken for a sequence that was expected; its KV is to be sent.
  virtual void on_reception_started(SequenceId id) = 0;
  /// A prefill instance begins a step of this duration that computes the next `tokens` tokens of its prompt.
  virtual void on_prompt_step(SequenceId id, std::int32_t tokens, SimTime duration) = 0;
  /// The step in which it was cancelled has ended.
  virtual void on_cancelled_gone(SequenceId id) = 0;
  /// The next step of the instance would end after the end of time, which is 106 days.
  virtual void on_end_of_time(std::uint32_t instance) = 0;
};

/// One serving engine: a const spec and its own state. It advances by engine steps (forward passes).
///
/// At a step boundary the policy plans the next step; the cost model is asked only when the batch changes or the
/// priced stretch has ended. One event then stands for all steps until the first at which anything can change: a
/// last token, a KV block that is not free, the end of the price, the policy's own limit. Whatever the instance can
/// see in between (a request, a cancellation, another clock) first settles the state to the last boundary in closed
/// form; the step in flight goes on to its end. A boundary is two events, the end of the step (`Phase::step`) and the
/// next plan (`Phase::dispatch`), so that requests arriving at that very instant are seen by the plan.
class Instance final : public engine::EventHandler {
 public:
  Instance(const InstanceSpec& spec, InstancePlace place, Jumping jumping, engine::Engine& engine, SequencePool& pool,
           InstanceOwner& owner, metrics::RunObserver& observer);
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  /// Queues a request. Called in `Phase::arrival` or before.
  void submit(SequenceId id);
  /// Queues a request whose prompt another instance has computed, or will compute when blocks are taken for it here.
  /// Called in `Phase::arrival` or before.
  void expect(SequenceId id);
  /// One more request will be submitted here, or not after all; routers see it from now on.
  void announce() { ++outstanding_; }
  void withdraw() { --outstanding_; }
  /// Queues an announced request. Called in `Phase::arrival` or before.
  void submit_announced(SequenceId id);
  /// The prompt of a request that has blocks here is computed; its KV is on its way.
  void claim(SequenceId id) { scheduler_.claim_reservation(id); }
  /// A request that has blocks here will not come. Called in `Phase::arrival` or before.
  void drop_reservation(SequenceId id);
  /// No step begins before `until`.
  void hold_until(SimTime until) { held_until_ = until; }
  SimTime held_until() const { return held_until_; }
  /// The KV of an expected sequence is there. Called in `Phase::transfer`.
  void receive(SequenceId id);
  /// Frees the KV of a sequence that this instance has prefilled. Called in `Phase::arrival` or before.
  void release_kv(std::uint32_t hold);
  /// A queued or expected request leaves at once (true). One that takes part in the step in flight is marked, and leaves
  /// at its end; tokens of that step do not count. One whose KV is on its way is marked, and the owner takes it out when
  /// it is there. Its counts and times are up to date afterwards. Called in `Phase::arrival` or before.
  bool cancel(SequenceId id);
  /// Takes out a cancelled sequence whose KV has come. Called in `Phase::transfer`.
  void drop_received(SequenceId id);
  /// From now on, the rest of the step in flight included. Called in `Phase::control`.
  void set_operating_point(const cost::OperatingPoint& at);

  const InstanceSpec& spec() const { return spec_; }
  const InstancePlace& place() const { return place_; }
  int outstanding() const { return outstanding_; }
  int waiting() const { return scheduler_.waiting_count(); }
  /// Blocks in use, those of the step in flight included. Called in `Phase::arrival` or before.
  std::int64_t kv_blocks_used();
  /// Tokens of the sequence's prompt that are cached here. Called in `Phase::arrival` or before.
  std::int64_t cached_tokens(const Sequence& sequence);
  /// Steps that have ended. Called in `Phase::control` or after.
  std::int64_t steps_ended();
  const Scheduler& scheduler() const { return scheduler_; }

  void on_event(std::uint64_t token) override;

 private:
  enum Token : std::uint64_t { step_end, dispatch };
  /// Whether the boundary that falls on this very instant has been followed by its plan.
  enum class Moment { before_dispatch, after_dispatch };

  void settle(Moment moment);
  void advance_to(std::int64_t step, Scheduler::Then then);
  void plan_soon(bool matters);
  void cut();
  void end_step();
  void sample_first(SequenceId id);
  void plan_step();
  void request_dispatch();
  void open_stretch(SimTime start);
  void close_stretch(SimTime end);
  void schedule_end();
  void report_gap(SimTime start, SimTime gap, SimTime growth, std::int64_t count, std::int64_t sequences);

  const InstanceSpec& spec_;
  const InstancePlace place_;
  const Jumping jumping_;
  engine::Engine& engine_;
  SequencePool& pool_;
  InstanceOwner& owner_;
  metrics::RunObserver& observer_;

  Scheduler scheduler_;
  cost::OperatingPoint operating_point_;
  bool price_is_stale_ = true;
  SimTime held_until_;
  bool in_step_ = false;
  int outstanding_ = 0;
  std::vector<SequenceId> sampled_;
  std::vector<SequenceId> cancelled_;

  engine::EventId end_event_;
  engine::EventId dispatch_event_;
  StepClock clock_;
  std::int64_t done_ = 0;          ///< Steps of the stretch that have ended, as settled.
  std::int64_t planned_from_ = 0;  ///< Of the stretch, when the policy planned last.
  std::int64_t until_ = 0;         ///< The step boundary of `end_event_`.
  std::int64_t steps_before_ = 0;  ///< In the stretches before this one.
  bool stretch_is_open_ = false;
  metrics::Stretch stretch_;
  SimTime first_gap_;              ///< Of the decodes that ran together before.
  std::vector<SimTime> latecomer_tokens_;  ///< When the other decodes had emitted their last one.
};

}  // namespace rackwright::serving
