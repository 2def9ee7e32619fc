#include "sim/metrics/chain_tally.h"

#include <algorithm>

namespace rackwright::metrics {
namespace {

/// As serving::Dependents remembers parents.
constexpr SimTime memory{3'600 * picoseconds_per_second};

}  // namespace

void ChainTally::add(const results::RequestOutcome& request) {
  if (request.session == 0) return;
  const bool completed = request.outcome == results::Outcome::completed;
  const SimTime start = request.turn ? request.turn->start : request.arrival;
  const SimTime end = request.turn ? request.turn->end : completed ? request.last_token : request.arrival;
  close_before(end - memory);
  Chain& chain = open_.try_emplace(request.session, Chain{start, end, 0, {}, {}, {}, {}, false}).first->second;
  chain.first = std::min(chain.first, start);
  chain.last = std::max(chain.last, end);
  ++chain.calls;
  chain.is_lost = chain.is_lost || !completed;
  chain.tool += request.tool_time;
  chain.tool_wait += request.tool_wait;
  if (completed) {
    chain.model += request.e2e();
    chain.model_queue += request.queue();
  }
  touched_.emplace_back(end, request.session);
}

void ChainTally::close_before(SimTime when) {
  for (; !touched_.empty() && touched_.front().first < when; touched_.pop_front()) {
    const auto found = open_.find(touched_.front().second);
    if (found == open_.end() || found->second.last >= when) continue;
    close(found->second);
    open_.erase(found);
  }
}

void ChainTally::close(const Chain& chain) {
  if (chain.is_lost || chain.first < window_.from || chain.first >= window_.to) return;
  e2e_.add(chain.last - chain.first);
  calls_ += chain.calls;
  all_ps_ += (chain.last - chain.first).ps;
  model_ps_ += chain.model.ps;
  model_queue_ps_ += chain.model_queue.ps;
  tool_ps_ += chain.tool.ps;
  tool_wait_ps_ += chain.tool_wait.ps;
}

std::optional<results::ChainSummary> ChainTally::summary() {
  close_before(SimTime::max());
  if (e2e_.count() == 0) return std::nullopt;
  const auto mean_s = [&](Int128 ps) { return static_cast<double>(ps) / 1e12 / static_cast<double>(e2e_.count()); };
  results::ChainSummary summary;
  summary.chains = e2e_.count();
  summary.calls = static_cast<double>(calls_) / static_cast<double>(e2e_.count());
  summary.e2e_s = e2e_.statistics();
  summary.model_s = mean_s(model_ps_);
  summary.model_queue_s = mean_s(model_queue_ps_);
  summary.tool_s = mean_s(tool_ps_);
  summary.tool_wait_s = mean_s(tool_wait_ps_);
  // Branches of a session run side by side and may take more than all its time.
  summary.other_s = mean_s(std::max<Int128>(0, all_ps_ - model_ps_ - tool_ps_ - tool_wait_ps_));
  return summary;
}

}  // namespace rackwright::metrics
