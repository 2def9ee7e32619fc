#include "sim/serving/pipelined_instance.h"

#include <algorithm>

#include "models/base/saturating.h"

namespace rackwright::serving {
namespace {

__extension__ using Wide = __int128;

constexpr std::uint64_t dispatch_token = ~std::uint64_t{0};  // Other tokens are micro-batches whose step ends.

}  // namespace

PipelinedInstance::PipelinedInstance(const InstanceSpec& spec, InstancePlace place, const InstanceWorld& world)
    : Instance(spec, place, world), stage_free_(spec.stage_layers.size()), steps_(spec.stage_layers.size()) {
  for (const int layers : spec.stage_layers) layers_before_.push_back(layers_before_.back() + layers);
  for (int i = 0; i < spec.pipeline_stages(); ++i) resting_.push_back(static_cast<std::uint16_t>(i));
}

void PipelinedInstance::on_event(std::uint64_t token) {
  if (token != dispatch_token) {
    end_step(static_cast<std::uint16_t>(token));
    return;
  }
  dispatch_event_ = {};
  plan_next();
}

// Plans when the first stage is free: now, or when the step in it leaves it.
void PipelinedInstance::request_dispatch() {
  if (dispatch_event_.value != 0 || resting_.empty()) return;
  const SimTime when = std::max({stage_free_.front(), engine_.now(), held_until_});
  dispatch_event_ = engine_.at(when, engine::Phase::dispatch, place_.entity, *this, dispatch_token);
}

void PipelinedInstance::plan_next() {
  // Twice round: one micro-batch may have given up memory for which another waited.
  for (std::size_t i = 0; i < 2 * resting_.size(); ++i) {
    const std::uint16_t micro_batch = resting_[i % resting_.size()];
    scheduler_.select(micro_batch);
    if (!plan_step(engine_.now())) continue;
    std::erase(resting_, micro_batch);
    begin_step(micro_batch);
    request_dispatch();
    return;
  }
}

void PipelinedInstance::begin_step(std::uint16_t micro_batch) {
  tell_of_first_stage();
  metrics::Stretch stretch = price(operating_point_);
  // Whole picoseconds that add up to the duration.
  const auto entered = [&](std::size_t stage) {
    return SimTime{static_cast<std::int64_t>(static_cast<Wide>(stretch.cost.duration.ps) * layers_before_[stage] / layers_before_.back())};
  };
  Step& step = steps_[micro_batch];
  step.is_in_flight = true;
  step.begin = engine_.now();
  SimTime at = step.begin;
  for (std::size_t s = 0; s < stage_free_.size(); ++s) {
    at = saturating_sum(std::max(at, stage_free_[s]), entered(s + 1) - entered(s));
    stage_free_[s] = at;
  }
  step.end = at;
  if (step.end == SimTime::max()) {
    owner_.on_end_of_time(place_.index);
    return;
  }
  engine_.at(step.end, engine::Phase::step, place_.entity, *this, micro_batch);
  tell_prompt_steps(step.end - step.begin);

  const double part = static_cast<double>(layers_before_[1]) / static_cast<double>(layers_before_.back());
  const std::int64_t idle_mw = spec_.cost->idle_power_mw();
  stretch.cost.power_mw = idle_mw + (stretch.cost.power_mw - idle_mw) * layers_before_.back() / layers_before_[1];
  stretch.start = step.begin;
  stretch.end = stage_free_.front();
  stretch.first_step = stretch.end - stretch.start;
  draws(stretch.cost.power_mw, stretch.end);
  stretch.cost.duration = stretch.end - stretch.start;
  stretch.cost.growth = {};
  stretch.cost.steps = 1;
  for (double* seconds : {&stretch.cost.parts.sm_clock_s, &stretch.cost.parts.memory_s, &stretch.cost.parts.link_s, &stretch.cost.parts.host_s})
    *seconds *= part;
  stretch.kv_blocks_used = scheduler_.kv().used();
  stretch.kv_tokens = scheduler_.kv_tokens(0);
  first_stage_ = stretch;
}

// When the first stage has done it; the stage is free for the next one by then.
void PipelinedInstance::tell_of_first_stage() {
  if (!first_stage_ || first_stage_->end > engine_.now()) return;
  observer_.on_stretch(*first_stage_);
  first_stage_.reset();
}

// What is in the first stage when a run is stopped has lasted until now, and computed nothing.
void PipelinedInstance::close() {
  if (!first_stage_) return;
  if (first_stage_->end > engine_.now()) {
    first_stage_->end = engine_.now();
    first_stage_->steps = 0;
  }
  tell_of_first_stage();
}

void PipelinedInstance::end_step(std::uint16_t micro_batch) {
  tell_of_first_stage();
  Step& step = steps_[micro_batch];
  scheduler_.select(micro_batch);
  if (scheduler_.runs_decodes()) {
    const DecodeGroup& decodes = scheduler_.decodes();
    const auto late = static_cast<std::int64_t>(decodes.latecomers().size());
    if (decodes.size() > late) report_gap(decodes.last_boundary(), step.end - decodes.last_boundary(), {}, 1, decodes.size() - late);
    for (const SequenceId id : decodes.latecomers()) report_gap(pool_[id].last_token, step.end - pool_[id].last_token, {}, 1, 1);
  }
  scheduler_.advance_decodes({step.begin, step.end - step.begin, {}}, 0, 1, Scheduler::Then::boundary);
  if (scheduler_.runs_decodes() && scheduler_.decodes().extra_tokens() > 0)
    report_gap(step.end, {}, {}, scheduler_.decodes().extra_tokens(), 1);
  step.is_in_flight = false;
  ++steps_ended_;
  resting_.push_back(micro_batch);
  finish_step(step.cancelled);
  request_dispatch();
}

}  // namespace rackwright::serving
