#include "sim/engine/calendar_engine.h"

#include <algorithm>
#include <cmath>

#include "models/base/invariant.h"

namespace rackwright::engine {
namespace {

// Solving the same sharing in another order rounds differently in the last bits of a double; a rate that
// differs by less than this share of itself has not changed.
constexpr double rate_noise = 1e-12;

constexpr double picoseconds_in_a_second = 1e12;
constexpr double longest_ps = 9e18;

/// The first whole picosecond after `start` at which `bytes` (> 0) are there; `SimTime::max()` when that is
/// beyond the reach of SimTime.
SimTime arrival(SimTime start, double bytes, double rate) {
  const double ps = std::ceil(bytes / rate * picoseconds_in_a_second);
  if (!(ps < longest_ps)) return SimTime::max();
  const SimTime length{static_cast<std::int64_t>(ps)};
  return length > SimTime::max() - start ? SimTime::max() : start + length;
}

}  // namespace

// ---- time

EventId CalendarEngine::at(SimTime when, Phase phase, std::uint32_t entity, EventHandler& handler,
                           std::uint64_t token) {
  invariant(when >= now_, "an event was asked for before now");
  if (when == SimTime::max()) return {};
  return calendar_.add(when, phase, entity, handler, token);
}

void CalendarEngine::run() {
  stopped_ = false;
  while (!stopped_) {
    if (rates_are_stale_ && calendar_.first_time() > now_) {
      settle();
      continue;
    }
    if (calendar_.empty()) return;
    const Calendar::Event event = calendar_.take();
    ++events_run_;
    now_ = event.when;
    event.handler->on_event(event.token);
  }
}

// ---- links and flows

LinkId CalendarEngine::add_link(double bandwidth) {
  invariant(std::isfinite(bandwidth) && bandwidth >= 0, "a link's bandwidth is negative or not finite");
  bandwidths_.push_back(bandwidth);
  if (sharing_) sharing_->add_link(bandwidth);
  return {static_cast<std::uint32_t>(bandwidths_.size() - 1)};
}

void CalendarEngine::set_bandwidth(LinkId link, double bandwidth) {
  invariant(link.value < bandwidths_.size(), "there is no such link");
  invariant(std::isfinite(bandwidth) && bandwidth >= 0, "a link's bandwidth is negative or not finite");
  bandwidths_[link.value] = bandwidth;
  if (!sharing_) return;
  sharing_->set_bandwidth(link, bandwidth);
  rates_are_stale_ = true;
}

void CalendarEngine::check(const FlowRequest& request) const {
  invariant(std::isfinite(request.bytes) && request.bytes >= 0, "a flow's bytes are negative or not finite");
  invariant(std::isfinite(request.rate_cap) && request.rate_cap >= 0, "a flow's cap is negative or not finite");
  for (std::size_t i = 0; i < request.path.size(); ++i) {
    invariant(request.path[i].value < bandwidths_.size(), "a flow's path names a link that does not exist");
    for (std::size_t j = 0; j < i; ++j)
      invariant(request.path[i].value != request.path[j].value, "a flow's path uses a link twice");
  }
}

FlowId CalendarEngine::start_flow(const FlowRequest& request, std::uint32_t entity, FlowHandler& handler,
                                  std::uint64_t token) {
  check(request);
  const FlowId id{flows_.insert({})};
  const std::uint32_t slot = flows_.slot_of(id.value);
  Flow& flow = flows_[slot];
  flow.creation = calendar_.next_creation();
  flow.handler = &handler;
  flow.token = token;
  flow.entity = entity;
  flow.bytes_left = request.bytes;
  flow.since = now_;
  if (request.bytes == 0 || (request.path.empty() && request.rate_cap == 0)) {
    flow.bytes_left = 0;
    plan_end(slot, now_);
  } else if (request.path.empty()) {
    rates_.push_back({slot, request.rate_cap});
    rates_are_stale_ = true;
  } else {
    if (!sharing_) {
      sharing_ = make_sharing_();
      for (const double bandwidth : bandwidths_) sharing_->add_link(bandwidth);
    }
    sharing_->start(slot, request.path, request.rate_cap);
    flow.shares_links = true;
    rates_are_stale_ = true;
  }
  return id;
}

bool CalendarEngine::cancel_flow(FlowId id) {
  if (!flows_.find(id.value)) return false;
  release(flows_.slot_of(id.value));
  return true;
}

void CalendarEngine::on_event(std::uint64_t token) {
  const std::uint32_t slot = static_cast<std::uint32_t>(token);
  const Flow flow = flows_[slot];
  const FlowId id{flows_.id_of(slot)};
  release(slot);
  flow.handler->on_flow_done(id, flow.token);
}

void CalendarEngine::release(std::uint32_t slot) {
  Flow& flow = flows_[slot];
  calendar_.cancel(flow.end);
  if (flow.shares_links) {
    sharing_->end(slot);
    rates_are_stale_ = true;
  } else {
    std::erase_if(rates_, [slot](const LinkSharing::Rate& rate) { return rate.flow == slot; });
  }
  flows_.erase(slot);
}

double CalendarEngine::bytes_left(const Flow& flow) const {
  return std::max(0.0, flow.bytes_left - flow.rate * (now_ - flow.since).seconds());
}

double CalendarEngine::flow_rate(FlowId id) const {
  const Flow* flow = flows_.find(id.value);
  return flow ? flow->rate : 0;
}

double CalendarEngine::flow_bytes_left(FlowId id) const {
  const Flow* flow = flows_.find(id.value);
  return flow ? bytes_left(*flow) : 0;
}

void CalendarEngine::plan_end(std::uint32_t slot, SimTime when) {
  Flow& flow = flows_[slot];
  calendar_.cancel(flow.end);
  flow.end = when == SimTime::max()
                 ? EventId{}
                 : calendar_.add(when, Phase::transfer, flow.entity, flow.creation, *this, slot);
}

// ---- rates

void CalendarEngine::settle() {
  rates_are_stale_ = false;
  if (sharing_) sharing_->settle(rates_);
  std::ranges::sort(rates_, {}, [this](const LinkSharing::Rate& rate) { return flows_[rate.flow].creation; });
  changed_.clear();
  for (const LinkSharing::Rate& rate : rates_)
    if (take_rate(rate.flow, rate.bytes_per_second)) changed_.push_back({flows_.id_of(rate.flow)});
  rates_.clear();
  // A handler may end or start flows: those that end are passed over, those that start are settled next.
  for (const FlowId id : changed_)
    if (const Flow* flow = flows_.find(id.value)) flow->handler->on_flow_rate(id, flow->token, flow->rate);
}

bool CalendarEngine::take_rate(std::uint32_t slot, double rate) {
  Flow& flow = flows_[slot];
  if (flow.is_settled && std::abs(rate - flow.rate) <= rate_noise * flow.rate) return false;
  flow.bytes_left = bytes_left(flow);
  flow.since = now_;
  flow.rate = rate;
  flow.is_settled = true;
  const bool moves = rate > 0 && flow.bytes_left > 0;
  plan_end(slot, moves ? arrival(now_, flow.bytes_left, rate) : rate > 0 ? now_ : SimTime::max());
  return true;
}

}  // namespace rackwright::engine
