#include "sim/serving/instance.h"

#include <algorithm>

#include "models/base/invariant.h"
#include "models/base/saturating.h"
#include "sim/serving/pipelined_instance.h"
#include "sim/serving/stepping_instance.h"

namespace rackwright::serving {

Instance::Instance(const InstanceSpec& spec, InstancePlace place, const InstanceWorld& world)
    : spec_(spec), place_(place), engine_(world.engine), pool_(world.pool), owner_(world.owner), observer_(world.observer),
      scheduler_(*spec.policy, pool_, {KvCache(spec.kv_blocks, spec.kv_layout, spec.prefix_caching), spec.kv_tiers, spec.preemption, world.shared_tiers},
                 spec.pipeline_stages(), spec.speculation.get()),
      clock_control_(spec.cost->clock_control()) {
  loads_.instance = this;
  if (clock_control_) governor_.emplace(*clock_control_, engine_, place_.entity, static_cast<GovernedClock&>(*this));
}

void Instance::set_operating_point(const cost::OperatingPoint& at) {
  asked_ = at;
  run_at({std::min(at.sm_clock, held_clock_), at.sm_share});
}

void Instance::set_sm_clock(double clock) {
  held_clock_ = clock;
  set_operating_point(asked_);
}

void Instance::draws(std::int64_t power_mw, SimTime from, SimTime until) {
  if (governor_) governor_->draws(power_mw, from, until);
}

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
  if (spec_.policy->receives_at_once()) {
    settle(Moment::before_dispatch);
    const bool starts = scheduler_.take_in(id, engine_.now());
    if (starts) owner_.on_reception_started(id);
    plan_soon(starts);
    return;
  }
  scheduler_.expect(id);
  bool matters = scheduler_.may_receive();
  if (pool_[id].emitted == 0) {
    settle(Moment::before_dispatch);
    scheduler_.reserve_at_once(engine_.now());
    matters = matters || !scheduler_.reception_starts().empty();
    for (const SequenceId reserved : scheduler_.reception_starts()) owner_.on_reception_started(reserved);
  }
  plan_soon(matters);
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

bool Instance::cancel(SequenceId id) {
  --outstanding_;
  Sequence& sequence = pool_[id];
  if (sequence.state == SequenceState::receiving || sequence.state == SequenceState::loading) {
    sequence.cancelled = true;
    return false;
  }
  const bool is_queued = sequence.state == SequenceState::waiting || sequence.state == SequenceState::expected;
  if (!is_queued) settle(Moment::before_dispatch);
  if (is_queued || !is_in_step(sequence)) {
    const bool matters = sequence.state != SequenceState::waiting || scheduler_.first_waiting() == id;
    scheduler_.remove(id);
    plan_soon(matters);
    return true;
  }
  scheduler_.bring_up_to_date(id);
  sequence.cancelled = true;
  mark_cancelled(id);
  plan_soon(true);
  return false;
}

// A load brings units that others find, and takes or frees blocks: the scheduler is brought to the present first.
void Instance::on_loaded(SequenceId id) {
  settle(Moment::before_dispatch);
  if (pool_[id].cancelled) {
    scheduler_.remove(id);
    owner_.on_cancelled_gone(id);
  } else {
    scheduler_.finish_load(id);
  }
  plan_soon(true);
}

std::int64_t Instance::kv_blocks_used() {
  settle(Moment::before_dispatch);
  return scheduler_.kv().used();
}

std::int64_t Instance::cached_tokens(const Sequence& sequence) {
  settle(Moment::before_dispatch);
  return scheduler_.cached_tokens(sequence);
}

SimTime Instance::estimated_first_token(const Sequence& sequence) {
  constexpr std::int32_t long_prompt = 2048;
  if (prompt_token_s_ == 0) {
    const cost::PrefillChunk chunk{long_prompt, 0, true};
    cost::StepShape shape;
    shape.prefill = {&chunk, 1};
    prompt_token_s_ = spec_.cost->price(shape, {}).duration.seconds() / long_prompt;
  }
  const std::int64_t own = sequence.to_compute - cached_tokens(sequence);
  return saturating_sum(engine_.now(), sim_time(prompt_token_s_ * static_cast<double>(scheduler_.prompt_tokens() + own)));
}

bool Instance::plan_step(SimTime now) {
  scheduler_.plan(now);
  for (const SequenceId id : scheduler_.reception_starts()) owner_.on_reception_started(id);
  for (const Scheduler::Load& load : scheduler_.load_starts())
    engine_.at(load.end, engine::Phase::transfer, place_.entity, loads_, load.sequence);
  return !scheduler_.is_idle();
}

metrics::Stretch Instance::price(const cost::OperatingPoint& at) {
  const cost::StepShape shape = scheduler_.shape(spec_.cost->needs_contexts());
  metrics::Stretch stretch;
  stretch.cost = spec_.cost->price(shape, at);
  stretch.sm_clock = at.sm_clock;
  stretch.pool = place_.pool;
  stretch.instance = place_.index;
  stretch.decode_sequences = shape.decode_sequences;
  stretch.prefill_sequences = static_cast<std::int32_t>(shape.prefill.size());
  stretch.prefill_tokens = scheduler_.prefill_tokens();
  stretch.waiting = scheduler_.waiting_count();
  stretch.kv_blocks = scheduler_.kv().blocks();
  return stretch;
}

void Instance::finish_step(std::vector<SequenceId>& cancelled) {
  sampled_.clear();
  scheduler_.complete_prefills(sampled_);
  for (const SequenceId id : cancelled) scheduler_.remove(id);
  for (SequenceId id = scheduler_.reached(); id != no_sequence; id = scheduler_.reached()) {
    owner_.on_milestone(id);
    scheduler_.watch(id);
  }
  for (SequenceId id = scheduler_.decodes().ended(); id != no_sequence; id = scheduler_.decodes().ended()) {
    scheduler_.remove(id);
    --outstanding_;
    owner_.on_completed(id);
  }
  for (const SequenceId id : sampled_)
    if (!pool_[id].cancelled) sample(id);
  for (const SequenceId id : cancelled) owner_.on_cancelled_gone(id);
  cancelled.clear();
}

// A prompt is complete: its last chunk gives a token. The first, unless a preemption had the prompt computed anew.
void Instance::sample(SequenceId id) {
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
  ++sequence.emitted;
  if (sequence.emitted == sequence.milestone) owner_.on_milestone(id);
  if (sequence.emitted < sequence.output_tokens) {
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

void Instance::tell_prompt_steps(SimTime duration) {
  if (spec_.role != Role::prefill) return;
  for (const MicroBatch::Chunk& chunk : scheduler_.chunks()) owner_.on_prompt_step(chunk.sequence, chunk.tokens, duration);
}

void Instance::report_gap(SimTime start, SimTime gap, SimTime growth, std::int64_t count, std::int64_t sequences) {
  observer_.on_token_gaps({place_.pool, gap, growth, count, sequences, start});
}

std::unique_ptr<Instance> make_instance(const InstanceSpec& spec, InstancePlace place, Jumping jumping, const InstanceWorld& world) {
  if (spec.pipeline_stages() > 1) return std::make_unique<PipelinedInstance>(spec, place, jumping, world);
  return std::make_unique<SteppingInstance>(spec, place, jumping, world);
}

}  // namespace rackwright::serving
