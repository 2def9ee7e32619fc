#include "sim/serving/instance.h"

#include <algorithm>

#include "models/base/invariant.h"

namespace rackwright::serving {
namespace {

/// left · full / old, rounded down but never to nothing: what is left of a step that now takes `full` in all.
SimTime rescale(SimTime left, SimTime full, SimTime old) {
  __extension__ using Wide = __int128;
  return {std::max<std::int64_t>(static_cast<std::int64_t>(static_cast<Wide>(left.ps) * full.ps / old.ps), 1)};
}

}  // namespace

Instance::Instance(const InstanceSpec& spec, InstancePlace place, Jumping jumping, engine::Engine& engine,
                   SequencePool& pool, InstanceOwner& owner, metrics::RunObserver& observer)
    : spec_(spec), place_(place), jumping_(jumping), engine_(engine), pool_(pool), owner_(owner), observer_(observer),
      scheduler_(*spec.policy, pool, KvCache(spec.kv_blocks, spec.block_tokens, spec.prefix_caching)) {}

void Instance::submit(SequenceId id) {
  announce();
  submit_announced(id);
}

void Instance::submit_announced(SequenceId id) {
  pool_[id].instance = place_.index;
  scheduler_.enqueue(id);
  plan_soon(scheduler_.may_admit(id));
}

void Instance::expect(SequenceId id) {
  pool_[id].instance = place_.index;
  ++outstanding_;
  scheduler_.expect(id);
  plan_soon(scheduler_.may_receive());
}

void Instance::drop_reservation(SequenceId id) {
  settle(Moment::before_dispatch);
  scheduler_.drop_reservation(id);
  --outstanding_;
  plan_soon(true);
}

void Instance::receive(SequenceId id) {
  scheduler_.receive(id);
  plan_soon(true);
}

void Instance::release_kv(std::uint32_t hold) {
  settle(Moment::before_dispatch);
  scheduler_.release_kv(hold);
  plan_soon(scheduler_.waiting_count() > 0);
}

void Instance::drop_received(SequenceId id) {
  settle(Moment::before_dispatch);
  scheduler_.remove(id);
  plan_soon(true);
}

// Something has changed that the next step may depend on.
void Instance::plan_soon(bool matters) {
  if (!in_step_) request_dispatch();
  else if (matters) cut();
}

bool Instance::cancel(SequenceId id) {
  --outstanding_;
  switch (pool_[id].state) {
    case SequenceState::waiting: {
      const bool was_first = scheduler_.first_waiting() == id;
      scheduler_.remove(id);
      if (in_step_ && was_first) cut();
      return true;
    }
    case SequenceState::expected:
      scheduler_.remove(id);
      if (in_step_) cut();
      return true;
    case SequenceState::receiving:
      pool_[id].cancelled = true;
      return false;
    default: break;
  }
  if (!in_step_) {  // Between the end of a step and the plan of the next.
    scheduler_.remove(id);
    return true;
  }
  settle(Moment::before_dispatch);
  scheduler_.bring_up_to_date(id);
  pool_[id].cancelled = true;
  cancelled_.push_back(id);
  cut();
  return false;
}

void Instance::set_operating_point(const cost::OperatingPoint& at) {
  if (at == operating_point_) return;
  operating_point_ = at;
  price_is_stale_ = true;
  if (!in_step_) return;
  settle(Moment::after_dispatch);
  const SimTime now = engine_.now();
  const SimTime left = clock_.boundary(done_ + 1) - now;
  const SimTime old = clock_.step_duration(done_);
  stretch_.kv_blocks_used = scheduler_.kv().used();
  stretch_.kv_tokens = scheduler_.kv_tokens();
  open_stretch(now);
  clock_.start = now + rescale(left, clock_.duration, old) - clock_.duration;
  engine_.cancel(end_event_);
  schedule_end();
}

std::int64_t Instance::kv_blocks_used() {
  settle(Moment::before_dispatch);
  return scheduler_.kv().used();
}

std::int64_t Instance::cached_tokens(const Sequence& sequence) {
  settle(Moment::before_dispatch);
  return scheduler_.cached_tokens(sequence);
}

std::int64_t Instance::steps_ended() {
  settle(Moment::after_dispatch);
  return steps_before_ + (stretch_is_open_ ? done_ : 0);
}

void Instance::on_event(std::uint64_t token) {
  if (token == Token::step_end) end_step();
  else plan_step();
}

void Instance::settle(Moment moment) {
  if (!in_step_) return;
  const SimTime now = engine_.now();
  // The step that `end_event_` ends is left to it, unless a cut at this instant has settled it already.
  const std::int64_t step = std::max(clock_.steps_ended(now, until_ - 1), done_);
  const bool at_boundary = clock_.boundary(step) == now && step > planned_from_ && moment == Moment::before_dispatch;
  advance_to(step, at_boundary ? Scheduler::Then::boundary : Scheduler::Then::next_step_runs);
}

void Instance::advance_to(std::int64_t step, Scheduler::Then then) {
  if (done_ == 0 && step > 0 && scheduler_.runs_decodes()) {
    first_gap_ = clock_.boundary(1) - scheduler_.decodes().last_boundary();
    for (const SequenceId id : scheduler_.decodes().latecomers())
      latecomer_tokens_.push_back(pool_[id].last_token);
  }
  scheduler_.advance_decodes(clock_, done_, step - done_, then);
  done_ = step;
}

// Ends the jump at the first boundary that is still to be planned from.
void Instance::cut() {
  settle(Moment::before_dispatch);
  const bool plans_now = clock_.boundary(done_) == engine_.now() && done_ > planned_from_;
  const std::int64_t boundary = plans_now ? done_ : done_ + 1;
  scheduler_.plan_again_after(boundary - done_);  // Holds even when a change of clock ends the stretch before.
  if (boundary >= until_) return;
  engine_.cancel(end_event_);
  until_ = boundary;
  end_event_ = engine_.at(clock_.boundary(until_), engine::Phase::step, place_.entity, *this, Token::step_end);
}

void Instance::end_step() {
  advance_to(until_, Scheduler::Then::boundary);
  in_step_ = false;
  stretch_.kv_blocks_used = scheduler_.kv().used();
  sampled_.clear();
  scheduler_.complete_prefills(sampled_);
  stretch_.kv_tokens = scheduler_.kv_tokens();
  for (const SequenceId id : cancelled_) scheduler_.remove(id);
  for (SequenceId id = scheduler_.decodes().ended(); id != no_sequence; id = scheduler_.decodes().ended()) {
    scheduler_.remove(id);
    --outstanding_;
    owner_.on_completed(id);
  }
  for (const SequenceId id : sampled_)
    if (!pool_[id].cancelled) sample_first(id);
  for (const SequenceId id : cancelled_) owner_.on_cancelled_gone(id);
  cancelled_.clear();
  if (held_until_ > engine_.now()) close_stretch(engine_.now());
  request_dispatch();
}

// A prompt is complete: its last chunk gives a token. The first, unless a preemption had the prompt computed anew.
void Instance::sample_first(SequenceId id) {
  Sequence& sequence = pool_[id];
  const SimTime now = engine_.now();
  if (sequence.emitted == 0) {
    sequence.first_token = now;
  } else {
    const SimTime gap = now - sequence.last_token;
    sequence.longest_gap = std::max(sequence.longest_gap, gap);
    report_gap(sequence.last_token, gap, {}, 1, 1);
  }
  sequence.last_token = now;
  if (++sequence.emitted < sequence.output_tokens) {
    scheduler_.resume(id);
    return;
  }
  --outstanding_;
  if (sequence.output_tokens < sequence.answer_tokens) {
    sequence.kv_instance = place_.index;
    sequence.kv_hold = scheduler_.hold_kv(id);
    sequence.state = SequenceState::moving;
    owner_.on_prefilled(id);
    return;
  }
  scheduler_.remove(id);
  owner_.on_completed(id);
}

void Instance::request_dispatch() {
  if (dispatch_event_.value != 0) return;
  dispatch_event_ = engine_.at(std::max(engine_.now(), held_until_), engine::Phase::dispatch, place_.entity, *this, Token::dispatch);
}

void Instance::plan_step() {
  dispatch_event_ = {};
  const SimTime now = engine_.now();
  scheduler_.plan(now);
  for (const SequenceId id : scheduler_.reception_starts()) owner_.on_reception_started(id);
  if (scheduler_.is_idle()) {
    close_stretch(clock_.boundary(done_));
    return;
  }
  in_step_ = true;
  if (!stretch_is_open_ || price_is_stale_ || scheduler_.is_new_composition() || done_ == stretch_.cost.steps)
    open_stretch(now);
  if (spec_.role == Role::prefill)
    for (const Scheduler::Chunk& chunk : scheduler_.chunks()) owner_.on_prompt_step(chunk.sequence, chunk.tokens, clock_.duration);
  schedule_end();
}

void Instance::schedule_end() {
  planned_from_ = done_;
  const std::int64_t steps = jumping_ == Jumping::off ? 1 : std::min(scheduler_.steps_planned(), stretch_.cost.steps - done_);
  until_ = done_ + steps;
  if (clock_.boundary(done_ + 1) == SimTime::max()) owner_.on_end_of_time(place_.index);
  end_event_ = engine_.at(clock_.boundary(until_), engine::Phase::step, place_.entity, *this, Token::step_end);
}

void Instance::open_stretch(SimTime start) {
  close_stretch(start);
  const cost::StepShape shape = scheduler_.shape(spec_.cost->needs_contexts());
  stretch_ = {};
  stretch_.cost = spec_.cost->price(shape, operating_point_);
  stretch_.pool = place_.pool;
  stretch_.instance = place_.index;
  stretch_.start = start;
  stretch_.decode_sequences = shape.decode_sequences;
  stretch_.prefill_sequences = static_cast<std::int32_t>(shape.prefill.size());
  stretch_.prefill_tokens = scheduler_.prefill_tokens();
  stretch_.waiting = scheduler_.waiting_count();
  stretch_.kv_blocks = scheduler_.kv().blocks();
  clock_ = {start, stretch_.cost.duration, stretch_.cost.growth};
  done_ = 0;
  price_is_stale_ = false;
  stretch_is_open_ = true;
}

void Instance::close_stretch(SimTime end) {
  if (!stretch_is_open_) return;
  stretch_is_open_ = false;
  steps_before_ += done_;
  stretch_.end = end;
  stretch_.steps = done_;
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
  latecomer_tokens_.clear();
  observer_.on_stretch(stretch_);
}

void Instance::report_gap(SimTime start, SimTime gap, SimTime growth, std::int64_t count, std::int64_t sequences) {
  observer_.on_token_gaps({place_.pool, gap, growth, count, sequences, start});
}

}  // namespace rackwright::serving
