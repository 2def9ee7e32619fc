#pragma once

#include <cstdint>
#include <vector>

#include "models/base/step_clock.h"
#include "sim/serving/instance.h"
#include "sim/serving/step_traffic.h"

namespace rackwright::serving {

/// An instance with one step in flight, which jumps over quiet stretches.
///
/// The cost model is asked only when the batch changes or the priced stretch has ended. One event then stands for all
/// steps until the first at which anything can change: a last token, a KV block that is not free, the end of the price,
/// the policy's own limit. Whatever the instance can see in between (a request, a cancellation, another clock) first
/// settles the state to the last boundary in closed form; the step in flight goes on to its end. A boundary is two events,
/// the end of the step (`Phase::step`) and the next plan (`Phase::dispatch`), so that requests arriving at that very
/// instant are seen by the plan.
///
/// An instance whose steps send over shared links takes them one by one: what a step sends begins with it, and when that
/// comes late, the step ends as much later.
class SteppingInstance final : public Instance, private StepTrafficHandler {
 public:
  SteppingInstance(const InstanceSpec& spec, InstancePlace place, Jumping jumping, const InstanceWorld& world)
      : Instance(spec, place, world), jumping_(jumping), traffic_(world.traffic && world.traffic->carries(place.index) ? world.traffic : nullptr) {}

  /// The rest of the step in flight is rescaled.
  void run_at(const cost::OperatingPoint& at) override;
  void close() override;
  bool is_computing() const override { return in_step_; }
  std::int64_t steps_ended() override;
  void on_event(std::uint64_t token) override;

 private:
  enum Token : std::uint64_t { step_end, dispatch };

  void settle(Moment moment) override;
  void plan_soon(bool matters) override;
  bool is_in_step(const Sequence&) const override { return in_step_; }
  void mark_cancelled(SequenceId id) override { cancelled_.push_back(id); }

  void advance_to(std::int64_t step, Scheduler::Then then);
  void cut();
  void end_step();
  void plan_next();
  void request_dispatch();
  void open_stretch(SimTime start);
  void close_stretch(SimTime end);
  void schedule_end();
  void report_helper();
  void note_memory();
  void on_step_traffic_done(SimTime late) override;

  const Jumping jumping_;
  StepTraffic* const traffic_;
  bool is_sending_ = false;        ///< What the step in flight sends is not all there.
  cost::OperatingPoint operating_point_;
  bool price_is_stale_ = true;
  bool in_step_ = false;
  std::vector<SequenceId> cancelled_;  ///< In the step in flight.

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
  std::int64_t extra_tokens_ = 0;  ///< Emitted beside another one of the same sequence, in this stretch.
  std::vector<SimTime> latecomer_tokens_;  ///< When the other decodes had emitted their last one.
};

}  // namespace rackwright::serving
