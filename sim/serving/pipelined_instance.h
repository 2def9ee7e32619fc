#pragma once

#include <cstdint>
#include <deque>
#include <optional>
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
/// a stage takes the part of it that it has of the layers: embedding and LM head count as spread over all of them. Every step is an event: steps of different micro-batches push each other, so
/// that no stretch of one of them is quiet. A change of clock counts for steps that begin after it.
///
/// An observer hears of each step when the first stage has done it, at the power of a full pipeline, so that the energy above
/// idle is that of the whole pass; a lone step's is moved to its time in the first stage.
class PipelinedInstance final : public Instance {
 public:
  PipelinedInstance(const InstanceSpec& spec, InstancePlace place, const InstanceWorld& world);

  void run_at(const cost::OperatingPoint& at) override { operating_point_ = at; }
  void close() override;
  bool is_computing() const override { return resting_.size() < steps_.size(); }
  std::int64_t steps_ended() override { return steps_ended_; }
  void on_event(std::uint64_t token) override;

 private:
  struct Step {
    bool is_in_flight = false;
    SimTime begin;
    SimTime end;
    std::vector<SequenceId> cancelled;
  };

  void settle(Moment) override {}  // Nothing happens between events.
  void plan_soon(bool) override { request_dispatch(); }
  bool is_in_step(const Sequence& sequence) const override { return steps_[sequence.micro_batch].is_in_flight; }
  void mark_cancelled(SequenceId id) override { steps_[pool_[id].micro_batch].cancelled.push_back(id); }

  void request_dispatch();
  void plan_next();
  void begin_step(std::uint16_t micro_batch);
  void end_step(std::uint16_t micro_batch);
  void tell_of_first_stage();

  cost::OperatingPoint operating_point_;
  std::vector<std::int64_t> layers_before_{0};  ///< Of each stage, and of all.
  std::vector<SimTime> stage_free_;        ///< When each stage has done all steps that it will see.
  std::vector<Step> steps_;                ///< Of each micro-batch.
  std::deque<std::uint16_t> resting_;      ///< Micro-batches without a step in flight, the longest first.
  std::optional<metrics::Stretch> first_stage_;  ///< The last step that entered it, until it is told.
  engine::EventId dispatch_event_;
  std::int64_t steps_ended_ = 0;
};

}  // namespace rackwright::serving
