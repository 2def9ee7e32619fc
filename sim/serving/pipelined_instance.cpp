#include "sim/serving/pipelined_instance.h"

#include <algorithm>
#include <limits>

#include "models/base/saturating.h"

namespace rackwright::serving {
namespace {

__extension__ using Wide = __int128;

constexpr std::uint64_t dispatch_token = ~std::uint64_t{0};  // Other tokens are micro-batches whose step ends.
constexpr std::uint64_t wake_token = dispatch_token - 1;
constexpr std::uint64_t tick_token = dispatch_token - 2;
constexpr std::int64_t most_steps_on = 4096;

/// Rounded down to whole picoseconds, so that the parts of all stages add up to the duration.
SimTime part(SimTime duration, std::int64_t layers, std::int64_t all_layers) {
  if (duration.ps <= std::numeric_limits<std::int64_t>::max() / all_layers) return {duration.ps * layers / all_layers};
  return {static_cast<std::int64_t>(static_cast<Wide>(duration.ps) * layers / all_layers)};
}

}  // namespace

PipelinedInstance::PipelinedInstance(const InstanceSpec& spec, InstancePlace place, Jumping jumping, const InstanceWorld& world)
    : Instance(spec, place, world), jumping_(jumping), stage_free_(spec.stage_layers.size()), steps_(spec.stage_layers.size()) {
  for (const int layers : spec.stage_layers) layers_before_.push_back(layers_before_.back() + layers);
  for (int i = 0; i < spec.pipeline_stages(); ++i) resting_.push_back(static_cast<std::uint16_t>(i));
}

void PipelinedInstance::run_at(const cost::OperatingPoint& at) {
  if (at == operating_point_) return;
  settle(Moment::after_dispatch);
  stop_running_on();
  operating_point_ = at;
  for (Step& step : steps_) step.is_stale = true;
}

std::int64_t PipelinedInstance::steps_ended() {
  settle(Moment::after_dispatch);
  return steps_ended_;
}

void PipelinedInstance::on_event(std::uint64_t token) {
  if (token == dispatch_token) {
    dispatch_event_ = {};
    plan_next();
    try_running_on();
  } else if (token == tick_token) {
    awaits_tick_ = false;
    settle(Moment::after_dispatch);
    tell();
    if (!in_flight_.empty()) await_tick();
  } else if (token == wake_token) {
    wake_event_ = {};
    run_on(engine_.now(), Moment::before_dispatch);
    stop_running_on();
    try_running_on();
  } else {
    const auto micro_batch = static_cast<std::uint16_t>(token);
    end_step(micro_batch);
    finish_step(steps_[micro_batch].cancelled);
    request_dispatch();
  }
}

void PipelinedInstance::settle(Moment moment) {
  if (runs_on_) run_on(engine_.now(), moment);
}

void PipelinedInstance::plan_soon(bool matters) {
  if (runs_on_ && !matters && scheduler_.only_ages()) return;
  settle(Moment::before_dispatch);
  stop_running_on();
  request_dispatch();
}

// Plans when the first stage is free: now, or when the step in it leaves it.
void PipelinedInstance::request_dispatch() {
  if (dispatch_event_.value != 0 || resting_.empty()) return;
  dispatch_event_ = engine_.at(std::max({stage_free_.front(), engine_.now(), held_until_}), engine::Phase::dispatch, place_.entity, *this, dispatch_token);
}

void PipelinedInstance::plan_next() {
  // Twice round: one micro-batch may have given up memory for which another waited.
  for (std::size_t i = 0; i < 2 * resting_.size(); ++i) {
    const std::uint16_t micro_batch = resting_[i % resting_.size()];
    scheduler_.select(micro_batch);
    if (!plan_step(engine_.now())) continue;
    std::erase(resting_, micro_batch);
    price_step(micro_batch);
    begin_step(micro_batch, engine_.now());
    tell_prompt_steps(steps_[micro_batch].end - steps_[micro_batch].begin);
    await_end(micro_batch);
    await_tick();
    request_dispatch();
    return;
  }
  if (in_flight_.empty()) tell();
}

void PipelinedInstance::price_step(std::uint16_t micro_batch) {
  Step& step = steps_[micro_batch];
  if (!step.is_stale && !scheduler_.is_new_composition() && step.begun < step.priced.cost.steps) return;
  tell();
  step.priced = price(operating_point_);
  step.begun = 0;
  step.is_stale = false;
}

std::int64_t PipelinedInstance::power_in_first_stage(std::int64_t power_mw) const {
  const std::int64_t idle_mw = spec_.cost->idle_power_mw();
  return idle_mw + (power_mw - idle_mw) * layers_before_.back() / layers_before_[1];
}

void PipelinedInstance::begin_step(std::uint16_t micro_batch, SimTime begin) {
  Step& step = steps_[micro_batch];
  const SimTime duration = step.duration();
  step.is_in_flight = true;
  step.begin = begin;
  SimTime at = begin;
  SimTime entered;
  for (std::size_t s = 0; s < stage_free_.size(); ++s) {
    const SimTime left = part(duration, layers_before_[s + 1], layers_before_.back());
    at = saturating_sum(std::max(at, stage_free_[s]), left - entered);
    stage_free_[s] = at;
    entered = left;
  }
  step.end = at;
  ++step.begun;
  in_flight_.push_back(micro_batch);
  if (step.end == SimTime::max()) owner_.on_end_of_time(place_.index);
  first_stage_.push_back({micro_batch, begin, stage_free_.front(), scheduler_.kv().used(), scheduler_.kv_tokens(0)});
  draws(power_in_first_stage(step.priced.cost.power_mw), begin, stage_free_.front());
}

void PipelinedInstance::await_end(std::uint16_t micro_batch) {
  Step& step = steps_[micro_batch];
  if (step.end != SimTime::max()) step.end_event = engine_.at(step.end, engine::Phase::step, place_.entity, *this, micro_batch);
}

void PipelinedInstance::end_step(std::uint16_t micro_batch) {
  Step& step = steps_[micro_batch];
  scheduler_.select(micro_batch);
  const auto gap = [&](SimTime last, std::int64_t sequences) { gaps_.push_back({place_.pool, step.end - last, {}, 1, sequences, last}); };
  if (scheduler_.runs_decodes()) {
    const DecodeGroup& decodes = scheduler_.decodes();
    const auto late = static_cast<std::int64_t>(decodes.latecomers().size());
    if (decodes.size() > late) gap(decodes.last_boundary(), decodes.size() - late);
    for (const SequenceId id : decodes.latecomers()) gap(pool_[id].last_token, 1);
  }
  scheduler_.advance_decodes({step.begin, step.end - step.begin, {}}, 0, 1, Scheduler::Then::boundary);
  if (scheduler_.runs_decodes() && scheduler_.decodes().extra_tokens() > 0)
    gaps_.push_back({place_.pool, {}, {}, scheduler_.decodes().extra_tokens(), 1, step.end});
  step.is_in_flight = false;
  step.end_event = {};
  ++steps_ended_;
  in_flight_.pop_front();
  resting_.push_back(micro_batch);
}

// A time before which, or at which, no micro-batch has to be planned; `now` when one may have to be at once.
SimTime PipelinedInstance::quiet_until(SimTime now) {
  if (jumping_ == Jumping::off || !scheduler_.only_ages() || held_until_ > now) return now;
  std::int64_t steps = most_steps_on;
  while (steps > 1 && !scheduler_.has_blocks_for(steps)) steps /= 2;
  SimTime until = SimTime::max();
  for (std::uint16_t i = 0; i < steps_.size(); ++i) {
    scheduler_.select(i);
    if (scheduler_.decodes().empty()) continue;
    const Step& step = steps_[i];
    const std::int64_t in_flight = step.is_in_flight ? 1 : 0;
    const std::int64_t left = std::min({scheduler_.steps_unplanned() - in_flight, step.priced.cost.steps - step.begun, steps - in_flight}) - 1;
    if (left <= 0 || step.is_stale || scheduler_.is_new_composition() || !step.cancelled.empty()) return now;
    if (!may_draw(power_in_first_stage(step.priced.cost.power_mw))) return now;
    const SimTime shortest = std::min(step.duration(), step.duration() + step.priced.cost.growth * left);
    until = std::min(until, saturating_sum(step.is_in_flight ? step.end : now, saturating_product(shortest, left)));
  }
  return until == SimTime::max() ? now : until;
}

void PipelinedInstance::try_running_on() {
  const SimTime now = engine_.now();
  const SimTime until = quiet_until(now);
  if (until <= now) return;
  runs_on_ = true;
  for (const std::uint16_t micro_batch : in_flight_) engine_.cancel(steps_[micro_batch].end_event);
  engine_.cancel(dispatch_event_);
  dispatch_event_ = {};
  wake_event_ = engine_.at(until, engine::Phase::step, place_.entity, *this, wake_token);
}

// Ends come before the plan of the same instant.
void PipelinedInstance::run_on(SimTime now, Moment moment) {
  const SimTime last_dispatch = moment == Moment::before_dispatch ? now - SimTime{1} : now;
  while (true) {
    const SimTime end = in_flight_.empty() ? SimTime::max() : steps_[in_flight_.front()].end;
    const auto next = std::ranges::find_if(resting_, [&](std::uint16_t one) {
      scheduler_.select(one);
      return !scheduler_.decodes().empty();
    });
    const SimTime dispatch = next == resting_.end() ? SimTime::max() : std::max(stage_free_.front(), steps_[*next].end);
    if (end <= dispatch && end <= now) {
      end_step(in_flight_.front());
    } else if (dispatch < end && dispatch <= last_dispatch) {
      const std::uint16_t micro_batch = *next;
      scheduler_.repeat_plan();
      resting_.erase(next);
      begin_step(micro_batch, dispatch);
    } else {
      return;
    }
  }
}

void PipelinedInstance::stop_running_on() {
  if (!runs_on_) return;
  runs_on_ = false;
  engine_.cancel(wake_event_);
  wake_event_ = {};
  for (const std::uint16_t micro_batch : in_flight_) await_end(micro_batch);
  request_dispatch();
}

// The instants at which it tells do not depend on what it has run on.
void PipelinedInstance::await_tick() {
  if (awaits_tick_) return;
  awaits_tick_ = true;
  const std::int64_t lag = metrics::report_lag.ps;
  engine_.at(saturating_product(metrics::report_lag, engine_.now().ps / lag + 1), engine::Phase::observe, place_.entity, *this, tick_token);
}

// What the first stage is at is kept: it is told when it is done.
void PipelinedInstance::tell() {
  for (const metrics::TokenGaps& gap : gaps_) observer_.on_token_gaps(gap);
  gaps_.clear();
  const double share = static_cast<double>(layers_before_[1]) / static_cast<double>(layers_before_.back());
  std::size_t told = 0;
  for (; told < first_stage_.size() && first_stage_[told].end <= engine_.now(); ++told) {
    const FirstStage& done = first_stage_[told];
    metrics::Stretch stretch = steps_[done.micro_batch].priced;
    stretch.cost.power_mw = power_in_first_stage(stretch.cost.power_mw);
    stretch.start = done.start;
    stretch.end = done.end;
    stretch.first_step = stretch.cost.duration = done.end - done.start;
    stretch.cost.growth = {};
    stretch.cost.steps = 1;
    for (double* seconds : {&stretch.cost.parts.sm_clock_s, &stretch.cost.parts.memory_s, &stretch.cost.parts.link_s, &stretch.cost.parts.host_s})
      *seconds *= share;
    stretch.kv_blocks_used = done.kv_blocks_used;
    stretch.kv_tokens = done.kv_tokens;
    if (done.is_cut) stretch.steps = 0;
    observer_.on_stretch(stretch);
  }
  first_stage_.erase(first_stage_.begin(), first_stage_.begin() + static_cast<std::ptrdiff_t>(told));
}

// What is in the first stage when a run is stopped has lasted until now, and computed nothing.
void PipelinedInstance::close() {
  settle(Moment::after_dispatch);
  if (!first_stage_.empty() && first_stage_.back().end > engine_.now()) {
    first_stage_.back().end = engine_.now();
    first_stage_.back().is_cut = true;
  }
  tell();
}

}  // namespace rackwright::serving
