#include "sim/engine/calendar_engine.h"

#include <algorithm>
#include <cmath>
#include <utility>

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
  flow.reports = request.reports;
  if (request.bytes == 0 || (request.path.empty() && request.rate_cap == 0)) {
    flow.needs_no_time = true;
    flow.end = calendar_.add(now_, Phase::transfer, entity, flow.creation, *this, slot);
    return id;
  }
  flow.bundle = join_bundle(request);
  Bundle& bundle = bundles_[flow.bundle];
  flow.mark = served_now(bundle) + static_cast<long double>(request.bytes);
  bundle.members.insert(member(slot));
  bundle.newcomers.push_back(slot);
  if (flow.reports == RateReports::all) ++bundle.followers;
  if (!bundle.path.empty() && bundle.members.size() > 1)
    sharing_->resize(flow.bundle, static_cast<std::uint32_t>(bundle.members.size()));
  touch(flow.bundle);
  return id;
}

/// The bundle of flows like this one, made when there is none.
std::uint32_t CalendarEngine::join_bundle(const FlowRequest& request) {
  BundleKey key{{}, request.rate_cap};
  for (const LinkId link : request.path) key.first.push_back(link.value);
  if (!request.path.empty()) {
    if (const auto known = bundle_over_.find(key); known != bundle_over_.end()) return known->second;
  }
  const std::uint32_t slot = bundles_.slot_of(bundles_.insert({}));
  Bundle& bundle = bundles_[slot];
  bundle.path.assign(request.path.begin(), request.path.end());
  bundle.rate_cap = request.rate_cap;
  bundle.since = now_;
  if (bundle.path.empty()) return slot;
  bundle_over_.emplace(std::move(key), slot);
  if (!sharing_) {
    sharing_ = make_sharing_();
    for (const double bandwidth : bandwidths_) sharing_->add_link(bandwidth);
  }
  sharing_->start(slot, bundle.path, bundle.rate_cap);
  return slot;
}

void CalendarEngine::touch(std::uint32_t slot) {
  Bundle& bundle = bundles_[slot];
  rates_are_stale_ = true;
  if (!std::exchange(bundle.is_touched, true)) touched_.push_back(bundles_.id_of(slot));
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
  if (flows_[slot].needs_no_time) calendar_.cancel(flows_[slot].end);
  else leave_bundle(slot);
  flows_.erase(slot);
}

void CalendarEngine::leave_bundle(std::uint32_t slot) {
  const std::uint32_t bundle_slot = flows_[slot].bundle;
  Bundle& bundle = bundles_[bundle_slot];
  bundle.members.erase(member(slot));
  std::erase(bundle.newcomers, slot);
  if (flows_[slot].reports == RateReports::all) --bundle.followers;
  if (!bundle.members.empty()) {
    sharing_->resize(bundle_slot, static_cast<std::uint32_t>(bundle.members.size()));
    plan_end(bundle);
    return touch(bundle_slot);
  }
  calendar_.cancel(bundle.end);
  if (!bundle.path.empty()) {
    BundleKey key{{}, bundle.rate_cap};
    for (const LinkId link : bundle.path) key.first.push_back(link.value);
    bundle_over_.erase(key);
    sharing_->end(bundle_slot);
    rates_are_stale_ = true;
  }
  bundles_.erase(bundle_slot);
}

CalendarEngine::Member CalendarEngine::member(std::uint32_t slot) const {
  const Flow& flow = flows_[slot];
  return {flow.mark, flow.entity, flow.creation, slot};
}

long double CalendarEngine::served_now(const Bundle& bundle) const {
  return bundle.served + static_cast<long double>(bundle.rate) * (now_ - bundle.since).seconds();
}

double CalendarEngine::bytes_left(const Flow& flow) const {
  if (flow.needs_no_time) return 0;
  return std::max(0.0, static_cast<double>(flow.mark - served_now(bundles_[flow.bundle])));
}

double CalendarEngine::flow_rate(FlowId id) const {
  const Flow* flow = flows_.find(id.value);
  return flow && flow->is_settled ? bundles_[flow->bundle].rate : 0;
}

double CalendarEngine::flow_bytes_left(FlowId id) const {
  const Flow* flow = flows_.find(id.value);
  return flow ? bytes_left(*flow) : 0;
}

/// Plans the end of the member that is the first to have all its bytes.
void CalendarEngine::plan_end(Bundle& bundle) {
  calendar_.cancel(bundle.end);
  bundle.end = {};
  if (bundle.rate <= 0) return;
  const Member& first = *bundle.members.begin();
  const double left = static_cast<double>(first.mark - bundle.served);
  const SimTime when = left > 0 ? std::max(now_, arrival(bundle.since, left, bundle.rate)) : now_;
  if (when < SimTime::max()) bundle.end = calendar_.add(when, Phase::transfer, first.entity, first.creation, *this, first.slot);
}

// ---- rates

void CalendarEngine::settle() {
  rates_are_stale_ = false;
  if (sharing_) sharing_->settle(rates_);
  told_.clear();
  for (const LinkSharing::Rate& rate : rates_) take_rate(rate.flow, rate.bytes_per_second);
  rates_.clear();
  for (const std::uint64_t id : touched_) {
    const Bundle* found = bundles_.find(id);
    if (!found) continue;
    const std::uint32_t slot = bundles_.slot_of(id);
    Bundle& bundle = bundles_[slot];
    bundle.is_touched = false;
    if (bundle.path.empty()) take_rate(slot, bundle.rate_cap);
    for (const std::uint32_t flow : bundle.newcomers) {
      flows_[flow].is_settled = true;
      if (flows_[flow].reports == RateReports::all) told_.push_back({flows_.id_of(flow)});
    }
    bundle.newcomers.clear();
    plan_end(bundle);
  }
  touched_.clear();
  std::ranges::sort(told_, {}, [this](FlowId id) { return flows_.find(id.value)->creation; });
  // A handler may end or start flows: those that end are passed over, those that start are settled next.
  for (const FlowId id : told_)
    if (const Flow* flow = flows_.find(id.value)) flow->handler->on_flow_rate(id, flow->token, flow_rate(id));
}

void CalendarEngine::take_rate(std::uint32_t slot, double rate) {
  Bundle& bundle = bundles_[slot];
  if (bundle.is_settled && std::abs(rate - bundle.rate) <= rate_noise * bundle.rate) return;
  bundle.served = served_now(bundle);
  bundle.since = now_;
  bundle.rate = rate;
  bundle.is_settled = true;
  plan_end(bundle);
  if (bundle.followers == 0) return;
  for (const Member& one : bundle.members)  // Newcomers are told when they are settled.
    if (flows_[one.slot].is_settled && flows_[one.slot].reports == RateReports::all) told_.push_back({flows_.id_of(one.slot)});
}

}  // namespace rackwright::engine
