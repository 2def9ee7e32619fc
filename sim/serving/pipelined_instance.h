#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "sim/serving/instance.h"

namespace rackwright::serving {

/// An instance whose layers are spread over pipeline stages, with up to one step in flight in each.
///
/// Sequences belong to micro-batches, one for each stage; a micro-batch takes part in one step at a time. When the first
/// stage is free, the micro-batch that has waited longest plans its next step, which then passes the stages in order,
/// each of them one step at a time, first come, first served:
///
///   begin(step, s) = max(end(step, s - 1), end(step before, s)),   end(step, s) = begin(step, s) + duration · layers(s) / layers
///
/// Uneven steps therefore leave bubbles behind them. `cost` prices a whole pass, the transfers between stages included;
/// a stage takes the part of it that it has of the layers: embedding and LM head count as spread over all of them. A
/// price stands for the steps of a micro-batch until it changes or the price ends. A change of clock counts for steps
/// that begin after it.
///
/// Steps of different micro-batches push each other, so that no stretch of them has a closed form. While nothing happens but
/// that decodes age (`Scheduler::only_ages`) they are *run on*: the recurrence above is followed step by step, in the order in
/// which events would come, without an event, a plan or a price. One event stands for a time before which nothing else can happen:
/// of a micro-batch that is to be planned after r more steps, none of which is shorter than d, the end of the r − 1st.
///
/// An observer hears of each step at the power of a full pipeline, as of a step of the first stage, so that the energy above
/// idle is that of the whole pass; a lone step's is moved to its time in the first stage. What it hears is kept until a
/// micro-batch changes, or to the next multiple of `metrics::report_lag`: instants that are the same however many steps were run on.
class PipelinedInstance final : public Instance {
 public:
  PipelinedInstance(const InstanceSpec& spec, InstancePlace place, Jumping jumping, const InstanceWorld& world);

  void run_at(const cost::OperatingPoint& at) override;
  void close() override;
  bool is_computing() const override { return !in_flight_.empty(); }
  std::int64_t steps_ended() override;
  void on_event(std::uint64_t token) override;

 private:
  /// The step of a micro-batch, and what its steps have cost since its composition changed.
  struct Step {
    bool is_in_flight = false;
    SimTime begin;
    SimTime end;
    engine::EventId end_event;
    std::vector<SequenceId> cancelled;
    metrics::Stretch priced;
    std::int64_t begun = 0;  ///< Of those that the price is for.
    bool is_stale = true;

    SimTime duration() const { return priced.cost.duration + priced.cost.growth * begun; }
  };
  /// A step in the first stage, until it is told.
  struct FirstStage {
    std::uint16_t micro_batch = 0;
    SimTime start;
    SimTime end;
    std::int64_t kv_blocks_used = 0;
    std::int64_t kv_tokens = 0;
    bool is_cut = false;
  };

  void settle(Moment moment) override;
  void plan_soon(bool matters) override;
  bool is_in_step(const Sequence& sequence) const override { return steps_[sequence.micro_batch].is_in_flight; }
  void mark_cancelled(SequenceId id) override { steps_[pool_[id].micro_batch].cancelled.push_back(id); }

  void request_dispatch();
  void plan_next();
  void price_step(std::uint16_t micro_batch);
  void begin_step(std::uint16_t micro_batch, SimTime begin);
  void end_step(std::uint16_t micro_batch);
  void await_end(std::uint16_t micro_batch);
  std::int64_t power_in_first_stage(std::int64_t power_mw) const;

  // Running on.
  SimTime quiet_until(SimTime now);
  void try_running_on();
  void run_on(SimTime now, Moment moment);
  void stop_running_on();

  void tell();
  void await_tick();

  const Jumping jumping_;
  cost::OperatingPoint operating_point_;
  std::vector<std::int64_t> layers_before_{0};  ///< Of each stage, and of all.
  std::vector<SimTime> stage_free_;        ///< When each stage has done all steps that it will see.
  std::vector<Step> steps_;                ///< Of each micro-batch.
  std::deque<std::uint16_t> in_flight_;    ///< Micro-batches in the order in which their steps began, and end.
  std::deque<std::uint16_t> resting_;      ///< Those without a step in flight, the longest first.
  engine::EventId dispatch_event_;
  engine::EventId wake_event_;
  bool awaits_tick_ = false;
  bool runs_on_ = false;
  std::int64_t steps_ended_ = 0;
  std::vector<FirstStage> first_stage_;    ///< Not told yet,
  std::vector<metrics::TokenGaps> gaps_;   ///< no more than these.
};

}  // namespace rackwright::serving
