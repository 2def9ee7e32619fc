#include "sim/serving/autoscaler.h"

#include <algorithm>
#include <cmath>

#include "models/base/saturating.h"

namespace rackwright::serving {
namespace {

constexpr std::uint32_t entity = 0;
constexpr std::uint64_t look_token = ~std::uint64_t{0};  // Other tokens are replicas that have loaded.

}  // namespace

Autoscaler::Autoscaler(engine::Engine& engine, const ScalingSpec& spec, InstanceGroup& group, std::uint32_t first,
                       std::uint32_t count, metrics::RunObserver& observer)
    : engine_(engine), spec_(spec), group_(group), first_(first), observer_(observer), replicas_(count) {
  for (std::uint32_t i = 0; i < count; ++i) {
    const bool is_on = static_cast<int>(i) < spec.min_replicas;
    replicas_[i].state = is_on ? State::on : State::off;
    group_.watch(first_ + i, *this);
    if (!is_on) group_.set_active(first_ + i, InstanceGroup::Takes::nothing);
  }
}

void Autoscaler::on_load_changed(std::uint32_t member) {
  const std::uint32_t replica = member - first_;
  const SimTime now = engine_.now();
  if (!has_begun_) {
    has_begun_ = true;
    for (Replica& one : replicas_) one.since = now;
  }
  switch_off_when_idle(replica);
  if (is_looking_) return;
  is_looking_ = true;
  engine_.at({(now.ps / spec_.period.ps + 1) * spec_.period.ps}, engine::Phase::control, entity, *this, look_token);
}

void Autoscaler::on_event(std::uint64_t token) {
  if (token == look_token) {
    look();
    return;
  }
  replicas_[token].state = State::on;
  replicas_[token].ready = {};
  group_.set_active(first_ + static_cast<std::uint32_t>(token), InstanceGroup::Takes::requests);
}

void Autoscaler::look() {
  for (std::uint32_t i = 0; i < replicas_.size(); ++i) {
    switch_off_when_idle(i);
    if (replicas_[i].state != State::off) report(i);
  }
  const int want = wanted();
  const int keep = most_wanted_lately(want);
  const int have = count(State::on) + count(State::loading);
  if (want > have) grow(want - have);
  else if (keep < have) shrink(have - keep);

  const bool is_quiet = keep == spec_.min_replicas && count(State::loading) == 0 && count(State::draining) == 0 &&
                        std::ranges::all_of(replicas_, [&](const Replica& one) {
                          return instance(static_cast<std::uint32_t>(&one - replicas_.data())).outstanding() == 0;
                        });
  is_looking_ = !is_quiet;
  if (is_looking_) engine_.at(saturating_sum(engine_.now(), spec_.period), engine::Phase::control, entity, *this, look_token);
}

int Autoscaler::wanted() const {
  std::int64_t outstanding = 0;
  for (std::uint32_t i = 0; i < replicas_.size(); ++i) outstanding += instance(i).outstanding();
  const double replicas = std::ceil(static_cast<double>(outstanding) / spec_.target_outstanding);
  return static_cast<int>(std::clamp(replicas, static_cast<double>(spec_.min_replicas), static_cast<double>(replicas_.size())));
}

int Autoscaler::most_wanted_lately(int now_wanted) {
  const SimTime now = engine_.now();
  while (!looks_.empty() && saturating_sum(looks_.front().first, spec_.down_window) < now) looks_.pop_front();
  while (!looks_.empty() && looks_.back().second <= now_wanted) looks_.pop_back();  // Falls from old to new.
  looks_.emplace_back(now, now_wanted);
  return looks_.front().second;
}

// Who is about to go stays first; then the lowest.
void Autoscaler::grow(int by) {
  for (std::uint32_t i = 0; i < replicas_.size() && by > 0; ++i) {
    if (replicas_[i].state != State::draining) continue;
    replicas_[i].state = State::on;
    group_.set_active(first_ + i, InstanceGroup::Takes::requests);
    --by;
  }
  for (std::uint32_t i = 0; i < replicas_.size() && by > 0; ++i) {
    if (replicas_[i].state != State::off) continue;
    switch_on(i);
    --by;
  }
}

void Autoscaler::switch_on(std::uint32_t replica) {
  Replica& one = replicas_[replica];
  one.state = State::loading;
  one.since = engine_.now();
  one.ready = engine_.at(saturating_sum(engine_.now(), spec_.load_time), engine::Phase::control, entity, *this, replica);
}

// Who has not come yet goes first; then the highest.
void Autoscaler::shrink(int by) {
  for (const State state : {State::loading, State::on}) {
    for (auto i = static_cast<std::uint32_t>(replicas_.size()); i > 0 && by > 0; --i) {
      if (replicas_[i - 1].state != state) continue;
      let_go(i - 1);
      --by;
    }
  }
}

void Autoscaler::let_go(std::uint32_t replica) {
  Replica& one = replicas_[replica];
  if (one.state == State::loading) engine_.cancel(one.ready);
  else group_.set_active(first_ + replica, InstanceGroup::Takes::nothing);
  one.state = State::draining;
  switch_off_when_idle(replica);
}

void Autoscaler::switch_off_when_idle(std::uint32_t replica) {
  Instance& one = instance(replica);
  if (replicas_[replica].state != State::draining) return;
  // KV may still be on its way from here, or into blocks of a request that has been cancelled.
  if (one.outstanding() > 0 || one.is_computing() || one.is_loading() || one.scheduler().kv().used() > 0) return;
  report(replica);
  replicas_[replica].state = State::off;
  one.forget_cached();
}

void Autoscaler::report(std::uint32_t replica) {
  const SimTime now = engine_.now();
  const SimTime since = std::exchange(replicas_[replica].since, now);
  if (since < now) observer_.on_powered({instance(replica).place().pool, instance(replica).place().index, since, now});
}

void Autoscaler::close() {
  if (!has_begun_) return;
  for (std::uint32_t i = 0; i < replicas_.size(); ++i)
    if (replicas_[i].state != State::off) report(i);
}

int Autoscaler::count(State state) const { return static_cast<int>(std::ranges::count(replicas_, state, &Replica::state)); }

}  // namespace rackwright::serving
