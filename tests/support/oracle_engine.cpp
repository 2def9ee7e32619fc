#include "tests/support/oracle_engine.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "models/base/invariant.h"

namespace rackwright::tests {

using namespace engine;

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

/// The first whole picosecond at which `bytes` are there.
SimTime time_for(double bytes, double rate) {
  const double ps = bytes > 0 ? std::ceil(bytes / rate * 1e12) : 0;
  return ps < 9e18 ? SimTime{static_cast<std::int64_t>(ps)} : SimTime::max();
}

SimTime later(SimTime start, SimTime length) {
  return length > SimTime::max() - start ? SimTime::max() : start + length;
}

}  // namespace

// ---- events

EventId OracleEngine::at(SimTime when, Phase phase, std::uint32_t entity, EventHandler& handler, std::uint64_t token) {
  invariant(when >= now_, "an event was asked for before now");
  if (when == SimTime::max()) return {};
  const Rank rank{when, phase, entity, ++creations_};
  events_[rank] = {&handler, token};
  event_ranks_[creations_] = rank;
  return {creations_};
}

bool OracleEngine::cancel(EventId event) {
  const auto found = event_ranks_.find(event.value);
  if (found == event_ranks_.end()) return false;
  events_.erase(found->second);
  event_ranks_.erase(found);
  return true;
}

void OracleEngine::run() {
  stopped_ = false;
  while (!stopped_) {
    const auto first = events_.begin();
    if (rates_are_stale_ && (first == events_.end() || std::get<SimTime>(first->first) > now_)) {
      settle();
      continue;
    }
    if (first == events_.end()) return;
    now_ = std::get<SimTime>(first->first);
    const Event event = first->second;
    event_ranks_.erase(std::get<std::uint64_t>(first->first));
    events_.erase(first);
    ++events_run_;
    event.handler ? event.handler->on_event(event.token) : end_flow(event.token);
  }
}

// ---- flows

LinkId OracleEngine::add_link(double bandwidth) {
  bandwidths_.push_back(bandwidth);
  return {static_cast<std::uint32_t>(bandwidths_.size() - 1)};
}

void OracleEngine::set_bandwidth(LinkId link, double bandwidth) {
  bandwidths_.at(link.value) = bandwidth;
  rates_are_stale_ = true;
}

OracleEngine::Rank OracleEngine::end_rank(std::uint64_t id, const Flow& flow) const {
  return {flow.end, Phase::transfer, flow.entity, id};
}

FlowId OracleEngine::start_flow(const FlowRequest& request, std::uint32_t entity, FlowHandler& handler,
                                std::uint64_t token) {
  const std::uint64_t id = ++creations_;
  Flow& flow = flows_[id];
  for (const LinkId link : request.path) flow.path.push_back(link.value);
  flow.rate_cap = request.rate_cap > 0 ? request.rate_cap : infinite;
  flow.entity = entity;
  flow.handler = &handler;
  flow.token = token;
  flow.bytes_left = request.bytes;
  flow.since = now_;
  if (request.bytes <= 0 || (flow.path.empty() && flow.rate_cap == infinite)) {
    flow.end = now_;
    events_[end_rank(id, flow)] = {nullptr, id};
  }
  rates_are_stale_ = true;
  return {id};
}

bool OracleEngine::cancel_flow(FlowId id) {
  const auto flow = flows_.find(id.value);
  if (flow == flows_.end()) return false;
  events_.erase(end_rank(id.value, flow->second));
  flows_.erase(flow);
  rates_are_stale_ = true;
  return true;
}

void OracleEngine::end_flow(std::uint64_t id) {
  const Flow flow = flows_.at(id);
  flows_.erase(id);
  rates_are_stale_ = true;
  flow.handler->on_flow_done({id}, flow.token);
}

double OracleEngine::bytes_left(const Flow& flow) const {
  return std::max(0.0, flow.bytes_left - std::max(0.0, flow.rate) * (now_ - flow.since).seconds());
}

double OracleEngine::flow_rate(FlowId id) const {
  const auto flow = flows_.find(id.value);
  return flow == flows_.end() ? 0 : std::max(0.0, flow->second.rate);
}

double OracleEngine::flow_bytes_left(FlowId id) const {
  const auto flow = flows_.find(id.value);
  return flow == flows_.end() ? 0 : bytes_left(flow->second);
}

// Raise all rates together; whoever meets a full link or its own cap stays where it is.
std::map<std::uint64_t, double> OracleEngine::fair_rates() const {
  std::map<std::uint64_t, double> rates;
  std::map<std::uint64_t, const Flow*> rising;
  for (const auto& [id, flow] : flows_)
    if (flow.end != now_) rising[id] = &flow;
  std::vector<double> room = bandwidths_;
  while (!rising.empty()) {
    std::vector<int> users(room.size(), 0);
    for (const auto& [id, flow] : rising)
      for (const std::uint32_t link : flow->path) ++users[link];
    const auto ceiling = [&](const Flow& flow) {
      double least = flow.rate_cap;
      for (const std::uint32_t link : flow.path) least = std::min(least, std::max(0.0, room[link]) / users[link]);
      return least;
    };
    double level = infinite;
    for (const auto& [id, flow] : rising) level = std::min(level, ceiling(*flow));
    std::vector<std::uint64_t> met;
    for (const auto& [id, flow] : rising)
      if (ceiling(*flow) <= level) met.push_back(id);
    for (const std::uint64_t id : met) {
      rates[id] = level;
      for (const std::uint32_t link : rising[id]->path) room[link] -= level;
      rising.erase(id);
    }
  }
  return rates;
}

void OracleEngine::settle() {
  rates_are_stale_ = false;
  std::vector<std::uint64_t> changed;
  for (const auto& [id, rate] : fair_rates()) {
    Flow& flow = flows_.at(id);
    if (flow.rate == rate) continue;
    events_.erase(end_rank(id, flow));
    flow.bytes_left = bytes_left(flow);
    flow.since = now_;
    flow.rate = rate;
    flow.end = rate > 0 ? later(now_, time_for(flow.bytes_left, rate)) : SimTime::max();
    if (flow.end < SimTime::max()) events_[end_rank(id, flow)] = {nullptr, id};
    changed.push_back(id);
  }
  for (const std::uint64_t id : changed)
    if (const auto flow = flows_.find(id); flow != flows_.end())
      flow->second.handler->on_flow_rate({id}, flow->second.token, flow->second.rate);
}

}  // namespace rackwright::tests
