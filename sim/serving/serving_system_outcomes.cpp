// What became of requests, and why some make no progress.
#include <fmt/format.h>

#include "models/base/invariant.h"
#include "models/base/saturating.h"
#include "sim/serving/serving_system.h"

namespace rackwright::serving {
namespace {

/// Whether KV of it is on its way to blocks that were taken for it.
bool is_fetched(const Sequence& sequence) { return sequence.state == SequenceState::receiving || sequence.state == SequenceState::loading; }

}  // namespace

void ServingSystem::report(SequenceId id, metrics::Outcome outcome, metrics::Cause cause) {
  Sequence& sequence = pool_[id];
  prompt_leaves(sequence);
  if (sequence.emitted > 0)
    services_[sequence.service].forecast.decode_ends(
        id, sequence.first_token, engine_.now(),
        outcome == metrics::Outcome::completed ? DecodeForecast::Left::completed : DecodeForecast::Left::given_up);
  engine_.cancel(sequence.timeout);
  metrics::RequestOutcome report;
  report.id = sequence.request;
  report.outcome = outcome;
  report.cause = cause;
  report.instance = sequence.instance;
  report.pool = instances_.empty() ? 0 : instances_[sequence.instance]->place().pool;
  report.request_class = class_index(sequence.request_class);
  report.arrival = sequence.arrival;
  if (sequence.scheduled != SimTime::max()) report.scheduled = sequence.scheduled;
  report.session = sequence.session;
  report.tool_time = sequence.tool_time;
  report.tool_wait = sequence.tool_wait;
  report.other_tokens = sequence.other_tokens;
  // Tokens are seen where the client is.
  if (sequence.first_visible.ps >= 0) report.first_visible = saturating_sum(sequence.first_visible, sequence.client_delay);
  report.first_token = saturating_sum(sequence.first_token, sequence.client_delay);
  report.last_token = saturating_sum(sequence.last_token, sequence.client_delay);
  report.longest_gap = sequence.longest_gap;
  if (sequence.kv_exposed.ps >= 0) report.kv_exposed = sequence.kv_exposed;
  report.input_tokens = sequence.input_tokens;
  report.output_tokens = sequence.emitted;
  report.cached_input_tokens = sequence.cached_input_tokens;
  report.preemptions = sequence.preemptions;
  report.logged = sequence.logged;
  if (sequence.turn != Sequence::none && outcome == metrics::Outcome::completed) {
    const std::int32_t left = sequence.emitted - sequence.reasoning_tokens - sequence.spoken_tokens;
    if (left > 0) speak(sequence, left);
  }
  leave(sequence, report);
}

void ServingSystem::on_lost(const traces::Request& request) {
  metrics::RequestOutcome report;
  report.id = request.id;
  report.outcome = metrics::Outcome::cancelled;
  report.cause = metrics::Cause::parent_lost;
  report.request_class = class_index(request.request_class);
  report.session = request.session;
  report.arrival = request.arrival;
  report.input_tokens = request.input_tokens;
  report.logged = request.logged;
  count_out(report);
}

void ServingSystem::count_out(const metrics::RequestOutcome& report) {
  observer_.on_request(report);
  --counts_.in_flight;
  switch (report.outcome) {
    case metrics::Outcome::completed: ++counts_.completed; break;
    case metrics::Outcome::rejected: ++counts_.rejected; break;
    case metrics::Outcome::failed: ++counts_.failed; break;
    case metrics::Outcome::cancelled: ++counts_.cancelled; break;
  }
}

std::vector<results::KvTierUse> ServingSystem::kv_tiers() const {
  std::vector<results::KvTierUse> uses;
  for (std::size_t pool = 0; pool < spec_.pools.size(); ++pool) {
    const std::vector<KvTierSpec>& tiers = spec_.pools[pool].instance.kv_tiers;
    for (std::size_t tier = 0; tier < tiers.size(); ++tier) {
      KvTierTotals sum;
      for (const auto& instance : instances_) {
        if (instance->place().pool != pool) continue;
        const KvTierTotals one = instance->scheduler().tier_totals()[tier];
        sum.loaded_tokens += one.loaded_tokens;
        sum.written_tokens += one.written_tokens;
        sum.loading += one.loading;
      }
      uses.push_back({fmt::format("{}.{}", spec_.pools[pool].name, tiers[tier].name), sum.loaded_tokens, sum.written_tokens, sum.loading.seconds()});
    }
  }
  return uses;
}

bool ServingSystem::fetches_since(SimTime since) const {
  for (SequenceId id = 0; id < pool_.bound(); ++id)
    if (is_fetched(pool_[id]) && pool_[id].fetched_since > since) return true;
  return false;
}

std::optional<SequenceId> ServingSystem::oldest_fetch() const {
  std::optional<SequenceId> oldest;
  for (SequenceId id = 0; id < pool_.bound(); ++id)
    if (is_fetched(pool_[id]) && !pool_[id].cancelled && (!oldest || pool_[id].request < pool_[*oldest].request)) oldest = id;
  return oldest;
}

std::optional<Stall> ServingSystem::finish() const {
  invariant(counts_.total == counts_.completed + counts_.rejected + counts_.failed + counts_.cancelled + counts_.in_flight,
            "requests are conserved");
  const std::size_t outside = intake_.held_back() + tools_.waiting() + (turns_ ? turns_->outside_model() : 0);
  invariant(counts_.in_flight + leaving_ + sample_sequences_ == pool_.in_use() + outside, "each request in flight is in one place");
  if (stall_) return stall_;
  if (const auto fetch = oldest_fetch()) {
    const Sequence& sequence = pool_[*fetch];
    const std::string& pool = spec_.pools[instances_[sequence.instance]->place().pool].name;
    return Stall{sequence.request,
                 fmt::format("its KV has been on its way {} instance {} of pool {} since {:.3f} s",
                             sequence.state == SequenceState::loading ? "from a lower tier of" : "to", sequence.instance, pool,
                             sequence.fetched_since.seconds())};
  }
  for (const auto& instance : instances_) {
    const Scheduler& scheduler = instance->scheduler();
    if (instance->outstanding() == 0) {
      invariant(leaving_ > 0 || scheduler.holds_kv() || scheduler.kv().used() == 0,
                "an instance without requests uses no KV block");
      continue;
    }
    if (scheduler.first_in_line() == no_sequence) continue;  // What it has blocks for waits elsewhere.
    return Stall{pool_[scheduler.first_in_line()].request,
                 fmt::format("{} of {} KV blocks are free at instance {} of pool {}", scheduler.kv().free(), scheduler.kv().blocks(),
                             instance->place().index, spec_.pools[instance->place().pool].name)};
  }
  if (intake_.dependents().waiting() == 0) return std::nullopt;
  const auto [child, parent] = intake_.dependents().first_waiting();
  return Stall{child, fmt::format("request {} has not completed", parent)};
}

}  // namespace rackwright::serving
