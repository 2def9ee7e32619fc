#include "sim/serving/stepping_instance.h"

#include <algorithm>

namespace rackwright::serving {
namespace {

/// left · full / old, rounded down but never to nothing: what is left of a step that now takes `full` in all.
SimTime rescale(SimTime left, SimTime full, SimTime old) {
  __extension__ using Wide = __int128;
  return {std::max<std::int64_t>(static_cast<std::int64_t>(static_cast<Wide>(left.ps) * full.ps / old.ps), 1)};
}

}  // namespace

void SteppingInstance::run_at(const cost::OperatingPoint& at) {
  if (at == operating_point_) return;
  operating_point_ = at;
  price_is_stale_ = true;
  if (!in_step_) return;
  settle(Moment::after_dispatch);
  const SimTime now = engine_.now();
  const SimTime left = clock_.boundary(done_ + 1) - now;
  const SimTime old = clock_.step_duration(done_);
  note_memory();
  open_stretch(now);
  clock_.start = now + rescale(left, clock_.duration, old) - clock_.duration;
  engine_.cancel(end_event_);
  schedule_end();
}

void SteppingInstance::close() {
  settle(Moment::after_dispatch);
  note_memory();
  close_stretch(engine_.now());
}

std::int64_t SteppingInstance::steps_ended() {
  settle(Moment::after_dispatch);
  return steps_before_ + (stretch_is_open_ ? done_ : 0);
}

void SteppingInstance::on_event(std::uint64_t token) {
  if (token == Token::dispatch) return plan_next();
  end_event_ = {};
  if (!is_sending_) end_step();  // Else what the step sends is late, and plans its end when it is there.
}

// The step in flight goes on for as long as what it sent was late, as a stretch of its own: only its time differs.
void SteppingInstance::on_step_traffic_done(SimTime late) {
  is_sending_ = false;
  const bool has_ended = end_event_.value == 0;
  if (late == SimTime{} && !has_ended) return;
  const SimTime now = engine_.now();
  const SimTime end = std::max(clock_.boundary(done_ + 1) + late, now);
  engine_.cancel(end_event_);
  note_memory();
  open_stretch(now);
  stretch_.cost.parts.link_s += late.seconds();
  clock_.start = end - clock_.duration;
  price_is_stale_ = true;
  schedule_end();
}

void SteppingInstance::plan_soon(bool matters) {
  if (!in_step_) request_dispatch();
  else if (matters) cut();
}

void SteppingInstance::settle(Moment moment) {
  if (!in_step_) return;
  const SimTime now = engine_.now();
  // The step that `end_event_` ends is left to it, unless a cut at this instant has settled it already.
  const std::int64_t step = std::max(clock_.steps_ended(now, until_ - 1), done_);
  const bool at_boundary = clock_.boundary(step) == now && step > planned_from_ && moment == Moment::before_dispatch;
  advance_to(step, at_boundary ? Scheduler::Then::boundary : Scheduler::Then::next_step_runs);
}

void SteppingInstance::advance_to(std::int64_t step, Scheduler::Then then) {
  if (done_ == 0 && step > 0 && scheduler_.runs_decodes()) {
    first_gap_ = clock_.boundary(1) - scheduler_.decodes().last_boundary();
    for (const SequenceId id : scheduler_.decodes().latecomers()) latecomer_tokens_.push_back(pool_[id].last_token);
  }
  scheduler_.advance_decodes(clock_, done_, step - done_, then);
  if (step > done_ && scheduler_.runs_decodes()) extra_tokens_ += scheduler_.decodes().extra_tokens();
  done_ = step;
}

// Ends the jump at the first boundary that is still to be planned from.
void SteppingInstance::cut() {
  settle(Moment::before_dispatch);
  const bool plans_now = clock_.boundary(done_) == engine_.now() && done_ > planned_from_;
  const std::int64_t boundary = plans_now ? done_ : done_ + 1;
  scheduler_.plan_again_after(boundary - done_);  // Holds even when a change of clock ends the stretch before.
  if (boundary >= until_) return;
  engine_.cancel(end_event_);
  until_ = boundary;
  end_event_ = engine_.at(clock_.boundary(until_), engine::Phase::step, place_.entity, *this, Token::step_end);
}

void SteppingInstance::end_step() {
  advance_to(until_, Scheduler::Then::boundary);
  in_step_ = false;
  stretch_.kv_blocks_used = scheduler_.kv().used();
  stretch_.kv_tokens = scheduler_.kv_tokens(scheduler_.prefill_tokens());
  finish_step(cancelled_);
  if (held_until_ > engine_.now()) {
    close_stretch(engine_.now());
    draws(spec_.cost->idle_power_mw());
  }
  request_dispatch();
}

void SteppingInstance::request_dispatch() {
  if (dispatch_event_.value != 0) return;
  dispatch_event_ = engine_.at(std::max(engine_.now(), held_until_), engine::Phase::dispatch, place_.entity, *this, Token::dispatch);
}

void SteppingInstance::plan_next() {
  dispatch_event_ = {};
  const SimTime now = engine_.now();
  if (!plan_step(now)) {
    close_stretch(clock_.boundary(done_));
    draws(spec_.cost->idle_power_mw());
    return;
  }
  in_step_ = true;
  if (!stretch_is_open_ || price_is_stale_ || scheduler_.is_new_composition() || done_ == stretch_.cost.steps) open_stretch(now);
  tell_prompt_steps(clock_.duration);
  schedule_end();
  if (traffic_) is_sending_ = traffic_->begin(place_.index, stretch_.decode_sequences + stretch_.prefill_tokens, *this);
}

void SteppingInstance::schedule_end() {
  planned_from_ = done_;
  const std::int64_t steps = jumping_ == Jumping::off || traffic_ ? 1 : std::min(scheduler_.steps_planned(), stretch_.cost.steps - done_);
  until_ = done_ + steps;
  if (clock_.boundary(done_ + 1) == SimTime::max()) owner_.on_end_of_time(place_.index);
  end_event_ = engine_.at(clock_.boundary(until_), engine::Phase::step, place_.entity, *this, Token::step_end);
}

void SteppingInstance::note_memory() {
  stretch_.kv_blocks_used = scheduler_.kv().used();
  stretch_.kv_tokens = scheduler_.kv_tokens(0);
}

void SteppingInstance::open_stretch(SimTime start) {
  close_stretch(start);
  stretch_ = price(operating_point_);
  draws(stretch_.cost.power_mw);
  stretch_.start = start;
  clock_ = {start, stretch_.cost.duration, stretch_.cost.growth};
  done_ = 0;
  price_is_stale_ = false;
  stretch_is_open_ = true;
}

void SteppingInstance::close_stretch(SimTime end) {
  if (!stretch_is_open_) return;
  stretch_is_open_ = false;
  steps_before_ += done_;
  stretch_.end = end;
  stretch_.steps = done_;
  // A clock that changed within a step has moved its end.
  if (clock_.start != stretch_.start) stretch_.first_step = clock_.boundary(1) - stretch_.start;
  if (stretch_.decode_sequences > 0 && done_ > 0) {
    const auto together = stretch_.decode_sequences - static_cast<std::int64_t>(latecomer_tokens_.size());
    const SimTime duration = clock_.duration;
    const SimTime first_end = clock_.boundary(1);
    if (latecomer_tokens_.empty() && first_gap_ == duration) {
      report_gap(clock_.start, duration, clock_.growth, done_, together);
    } else {
      if (together > 0) report_gap(first_end - first_gap_, first_gap_, {}, 1, together);
      for (const SimTime last : latecomer_tokens_) report_gap(last, first_end - last, {}, 1, 1);
      if (done_ > 1) report_gap(first_end, duration + clock_.growth, clock_.growth, done_ - 1, stretch_.decode_sequences);
    }
  }
  if (extra_tokens_ > 0) report_gap(end, {}, {}, extra_tokens_, 1);
  stretch_.extra_tokens = extra_tokens_;
  extra_tokens_ = 0;
  latecomer_tokens_.clear();
  observer_.on_stretch(stretch_);
  if (stretch_.cost.partner.busy.ps > 0 && place_.helper_pool >= 0 && done_ > 0) report_helper();
}

// What the helper does in each of the steps, moved together.
void SteppingInstance::report_helper() {
  metrics::Stretch helper;
  helper.pool = static_cast<std::uint32_t>(place_.helper_pool);
  helper.instance = place_.helper;
  helper.start = stretch_.start;
  helper.end = stretch_.start + stretch_.cost.partner.busy * done_;
  helper.steps = done_;
  helper.cost.duration = stretch_.cost.partner.busy;
  helper.cost.steps = done_;
  helper.cost.power_mw = stretch_.cost.partner.power_mw;
  helper.cost.provenance = stretch_.cost.provenance;
  helper.decode_sequences = stretch_.decode_sequences;
  helper.prefill_sequences = stretch_.prefill_sequences;
  observer_.on_stretch(helper);
}

}  // namespace rackwright::serving
