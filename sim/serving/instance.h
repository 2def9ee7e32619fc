#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "models/cost/step_cost.h"
#include "sim/engine/engine.h"
#include "sim/metrics/run_observer.h"
#include "sim/serving/clock_governor.h"
#include "sim/serving/scheduler.h"
#include "sim/serving/scheduler_policy.h"
#include "sim/serving/sequence.h"

namespace rackwright::serving {

/// What part of a request's work an instance does.
enum class Role {
  colocated,  ///< All of it.
  prefill,    ///< The prompt and the first token; the KV then moves to an instance that decodes.
  decode,     ///< The tokens after the first.
  helper,     ///< None by itself: it works within the steps of an instance of another pool, such as for a draft model.
};

/// What one instance of a pool is: devices that together run one model, and how they are driven.
struct InstanceSpec {
  std::shared_ptr<const SchedulerPolicy> policy;
  std::shared_ptr<const cost::StepCostModel> cost;  ///< Of a whole step, through all pipeline stages.
  std::int64_t kv_blocks = 0;
  llm::KvLayout kv_layout = {};
  PrefixCaching prefix_caching = PrefixCaching::off;
  Role role = Role::colocated;
  std::vector<KvTierSpec> kv_tiers = {};
  Preemption preemption = Preemption::recompute;  ///< Swapping needs a tier.
  std::vector<int> stage_layers = {1};  ///< Of each pipeline stage; as many steps are in flight at once.

  double cost_weight = 1;  ///< Relative cost of a request here, for routers that weigh it.
  std::shared_ptr<const Speculation> speculation = {};  ///< Null: one token a step.

  int pipeline_stages() const { return static_cast<int>(stage_layers.size()); }
};

/// Off: every step is an event of its own. Results are the same, bit for bit.
enum class Jumping { on, off };

/// Where an instance stands in the run.
struct InstancePlace {
  std::uint32_t pool = 0;
  std::uint32_t index = 0;   ///< Over all instances of the run.
  std::uint32_t entity = 0;  ///< Orders its events among others at one instant.
  int helper_pool = -1;      ///< The pool of the instance that works for it, or none,
  std::uint32_t helper = 0;  ///< and that instance.
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
  /// It has emitted as many tokens as its milestone asks, or more; it may be given another one. Its last token may follow
  /// at the same instant.
  virtual void on_milestone(SequenceId id) = 0;
  /// The step in which it was cancelled has ended.
  virtual void on_cancelled_gone(SequenceId id) = 0;
  /// The next step of the instance would end after the end of time, which is 106 days.
  virtual void on_end_of_time(std::uint32_t instance) = 0;
};

class StepTraffic;

/// What an instance lives in; all of it outlives the instance.
struct InstanceWorld {
  engine::Engine& engine;
  SequencePool& pool;
  InstanceOwner& owner;
  metrics::RunObserver& observer;
  StepTraffic* traffic = nullptr;  ///< What steps send over shared links; null: nothing.
  SharedStores shared_tiers = {};  ///< Of its pool.
};

/// One serving engine: a const spec and its own state. It advances by engine steps (forward passes): at a step boundary
/// the policy plans the next step, the cost model says how long it takes. This class is what all instances share: how
/// sequences come and go. How steps follow each other is for the derived ones.
class Instance : public engine::EventHandler, private GovernedClock {
 public:
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
  /// A queued or expected request leaves at once (true). One that takes part in a step in flight is marked, and leaves
  /// at its end; tokens of that step do not count. One whose KV is on its way is marked, and the owner takes it out when
  /// it is there. Its counts and times are up to date afterwards. Called in `Phase::arrival` or before.
  bool cancel(SequenceId id);
  /// Takes out a cancelled sequence whose KV has come. Called in `Phase::transfer`.
  void drop_received(SequenceId id);
  /// From now on. Called in `Phase::control`. The power limit may hold the clock below it.
  void set_operating_point(const cost::OperatingPoint& at);

  const InstanceSpec& spec() const { return spec_; }
  const InstancePlace& place() const { return place_; }
  int outstanding() const { return outstanding_; }
  /// In the queue; where others compute the prompts, also those that are expected, or here and in no step.
  int waiting() const { return scheduler_.waiting_count() + (spec_.role == Role::decode ? scheduler_.idle_count() : 0); }
  /// Blocks in use, those of steps in flight included. Called in `Phase::arrival` or before.
  std::int64_t kv_blocks_used();
  /// Tokens of the sequence's prompt that are cached here. Called in `Phase::arrival` or before.
  std::int64_t cached_tokens(const Sequence& sequence);
  /// When the sequence would emit its first token if the prompt tokens here and its own were computed one after another
  /// at the speed of a long prompt. Ignores decodes, memory, and the step in flight. Called in `Phase::arrival` or before.
  SimTime estimated_first_token(const Sequence& sequence);
  /// Reports what has been done of a stretch that is still open, at the end of a run that was stopped. Nothing follows.
  virtual void close() = 0;

  /// Loses what it has cached, in lower tiers too. Nothing runs or waits here.
  void forget_cached() { scheduler_.forget_cached(); }

  /// Whether a step is in flight.
  virtual bool is_computing() const = 0;
  bool is_loading() const { return scheduler_.is_loading(); }
  /// Steps that have ended. Called in `Phase::control` or after.
  virtual std::int64_t steps_ended() = 0;
  const Scheduler& scheduler() const { return scheduler_; }

 protected:
  /// The same, the power limit included.
  virtual void run_at(const cost::OperatingPoint& at) = 0;
  /// The devices draw this from now on.
  void draws(std::int64_t power_mw) {
    if (governor_) governor_->draws(power_mw);
  }
  /// The same from `from`, until `until`, after which they are idle.
  void draws(std::int64_t power_mw, SimTime from, SimTime until);
  /// Whether nothing comes of it when they draw up to this.
  bool may_draw(std::int64_t power_mw) const { return !governor_ || governor_->rests_below(power_mw); }

  Instance(const InstanceSpec& spec, InstancePlace place, const InstanceWorld& world);

  /// Whether the boundary that falls on this very instant has been followed by its plan.
  enum class Moment { before_dispatch, after_dispatch };
  /// Brings the scheduler to the present.
  virtual void settle(Moment moment) = 0;
  /// Something has changed. Plans when no step is in flight; `matters`: the next step may depend on it.
  virtual void plan_soon(bool matters) = 0;
  virtual bool is_in_step(const Sequence& sequence) const = 0;
  /// A sequence was cancelled in a step in flight.
  virtual void mark_cancelled(SequenceId id) = 0;

  /// Plans a step of the selected micro-batch. False when there is nothing to do.
  bool plan_step(SimTime now);
  /// A step has ended and its decodes are advanced: prompts that are complete give a token, who has ended leaves, and so
  /// do the cancelled, whose list is cleared.
  void finish_step(std::vector<SequenceId>& cancelled);
  /// Tells the owner of a prefill instance what the planned step computes, and how long it lasts.
  void tell_prompt_steps(SimTime duration);
  void report_gap(SimTime start, SimTime gap, SimTime growth, std::int64_t count, std::int64_t sequences);
  /// The fields of a stretch that are known when its first step is planned.
  metrics::Stretch price(const cost::OperatingPoint& at);

  const InstanceSpec& spec_;
  const InstancePlace place_;
  engine::Engine& engine_;
  SequencePool& pool_;
  InstanceOwner& owner_;
  metrics::RunObserver& observer_;
  Scheduler scheduler_;
  SimTime held_until_;

 private:
  /// Hears of loads from lower tiers that have ended; the token is the sequence.
  struct LoadListener final : engine::EventHandler {
    Instance* instance = nullptr;
    void on_event(std::uint64_t token) override { instance->on_loaded(static_cast<SequenceId>(token)); }
  };
  void on_loaded(SequenceId id);
  void set_sm_clock(double clock) override;
  void sample(SequenceId id);

  LoadListener loads_;

  int outstanding_ = 0;
  double prompt_token_s_ = 0;  ///< Of a long prompt; 0 until it was asked for.
  std::vector<SequenceId> sampled_;
  cost::OperatingPoint asked_;
  double held_clock_ = 1;
  const std::optional<power::ClockControl> clock_control_;
  std::optional<ClockGovernor> governor_;
};

std::unique_ptr<Instance> make_instance(const InstanceSpec& spec, InstancePlace place, Jumping jumping, const InstanceWorld& world);

}  // namespace rackwright::serving
