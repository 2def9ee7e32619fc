#include "sim/serving/serving_system.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "models/base/invariant.h"

namespace rackwright::serving {
namespace {

constexpr std::uint32_t source_entity = 0;
constexpr std::uint32_t first_instance_entity = 1;
// An event is a kind above 32 bits of what it is about.
enum EventKind : std::uint64_t { next_arrives, parked_arrives, client_gives_up };
constexpr std::uint64_t token(EventKind kind, std::uint32_t subject = 0) { return kind << 32 | subject; }
constexpr int none = -1;
constexpr int not_looked_up = -2;

/// The entry for a name id of the source, found with `find` on first use.
template <class Find>
int looked_up(std::vector<int>& table, std::uint32_t name, Find find) {
  if (name >= table.size()) table.resize(name + 1, not_looked_up);
  if (table[name] == not_looked_up) table[name] = find();
  return table[name];
}

/// Turns hashes of blocks into hashes of prefixes. Some traces have the latter already; chaining them keeps them so.
void chain(std::vector<std::uint64_t>& hashes) {
  std::uint64_t before = 0;
  for (std::uint64_t& hash : hashes) {
    hash = (before ^ hash) * 0x9E3779B97F4A7C15u + hash;
    hash ^= hash >> 29;
    before = hash;
  }
}

}  // namespace

ServingSystem::ServingSystem(engine::Engine& engine, const ServingSpec& spec, traces::RequestSource& source,
                             metrics::RunObserver& observer)
    : engine_(engine), spec_(spec), source_(source), observer_(observer) {
  for (std::uint32_t pool = 0; pool < spec.pools.size(); ++pool) {
    const PoolSpec& pool_spec = spec.pools[pool];
    const auto known = std::ranges::find(group_models_, pool_spec.model);
    const auto group = static_cast<std::uint32_t>(known - group_models_.begin());
    if (known == group_models_.end()) {
      group_models_.push_back(pool_spec.model);
      groups_.emplace_back();
    }
    for (int replica = 0; replica < pool_spec.replicas; ++replica) {
      const auto index = static_cast<std::uint32_t>(instances_.size());
      instances_.emplace_back(pool_spec.instance, InstancePlace{pool, index, first_instance_entity + index}, spec.jumping,
                              engine, pool_, static_cast<InstanceOwner&>(*this), observer);
      placements_.push_back({group, groups_[group].size()});
      groups_[group].add(instances_.back());
    }
  }
}

void ServingSystem::start() { pull(); }

void ServingSystem::pull() {
  if (!source_.next(next_)) return;
  engine_.at(std::max(next_.arrival, engine_.now()), engine::Phase::arrival, source_entity, *this, token(next_arrives));
}

void ServingSystem::on_event(std::uint64_t token) {
  const auto subject = static_cast<std::uint32_t>(token);
  switch (static_cast<EventKind>(token >> 32)) {
    case next_arrives: take_next(); break;
    case parked_arrives: {
      traces::Request request = std::move(parked_[subject]);
      free_parked_.push_back(subject);
      arrive(request);
      break;
    }
    case client_gives_up: give_up(subject); break;
  }
}

void ServingSystem::take_next() {
  ++counts_.total;
  ++counts_.in_flight;
  dependents_.open(next_);
  if (!next_.parent) {
    arrive(next_);
  } else {
    const auto [turn, when] = dependents_.take(next_, engine_.now());
    if (turn == Dependents::Turn::lost) lose({std::move(next_)});
    else if (turn == Dependents::Turn::due && when == engine_.now()) arrive(next_);
    else if (turn == Dependents::Turn::due) park(std::move(next_), when);
  }
  pull();
}

void ServingSystem::park(traces::Request request, SimTime until) {
  if (free_parked_.empty()) {
    free_parked_.push_back(static_cast<std::uint32_t>(parked_.size()));
    parked_.emplace_back();
  }
  const std::uint32_t slot = free_parked_.back();
  free_parked_.pop_back();
  parked_[slot] = std::move(request);
  engine_.at(until, engine::Phase::arrival, source_entity, *this, token(parked_arrives, slot));
}

void ServingSystem::arrive(traces::Request& request) {
  const SequenceId id = pool_.claim();
  Sequence& sequence = pool_[id];
  sequence.request = request.id;
  sequence.arrival = engine_.now();
  sequence.input_tokens = request.input_tokens;
  sequence.output_tokens = request.output_tokens;
  sequence.to_compute = request.input_tokens;
  sequence.request_class = request.request_class;
  sequence.session = request.session;
  sequence.logged = request.logged;
  sequence.prefix_hashes.swap(request.block_hashes);
  chain(sequence.prefix_hashes);
  sequence.hash_tokens = request.block_tokens;
  if (const RequestClassSpec* known = class_of(request.request_class)) {
    sequence.priority = known->priority;
    if (known->first_token_within != SimTime::max()) sequence.deadline = sequence.arrival + known->first_token_within;
    if (known->timeout != SimTime::max())
      sequence.timeout = engine_.at(engine_.now() + known->timeout, engine::Phase::arrival, source_entity, *this,
                                    token(client_gives_up, id));
  }
  const int group = group_of(request.model);
  if (group == none) reject(id, metrics::Cause::no_pool);
  else route(id, static_cast<std::uint32_t>(group));
}

void ServingSystem::route(SequenceId id, std::uint32_t group_index) {
  InstanceGroup& group = groups_[group_index];
  const std::uint32_t chosen = spec_.router->choose(pool_[id], group);
  invariant(chosen < group.size(), "a router chooses one of the instances it was shown");
  group.count_routed();
  Instance& instance = group[chosen];
  const Sequence& sequence = pool_[id];
  const PoolSpec& pool_spec = spec_.pools[instance.place().pool];
  const std::int64_t tokens = std::int64_t{sequence.input_tokens} + sequence.output_tokens;
  metrics::Cause refusal = pool_spec.instance.policy->refuse(instance.scheduler(), sequence);
  if (pool_spec.max_context_tokens > 0 && tokens > pool_spec.max_context_tokens) refusal = metrics::Cause::context_too_long;
  if (pool_spec.max_waiting > 0 && instance.waiting() >= pool_spec.max_waiting && refusal == metrics::Cause::none)
    refusal = metrics::Cause::admission;
  if (refusal != metrics::Cause::none) {
    reject(id, refusal);
    return;
  }
  instance.submit(id);
  group.on_load_changed(chosen);
}

void ServingSystem::give_up(SequenceId id) {
  const bool is_gone = instances_[pool_[id].instance].cancel(id);
  on_load_changed(pool_[id].instance);
  report(id, metrics::Outcome::cancelled, metrics::Cause::timed_out);
  if (is_gone) pool_.release(id);
  else ++leaving_;
}

void ServingSystem::on_load_changed(std::uint32_t instance) {
  const Placement place = placements_[instance];
  groups_[place.group].on_load_changed(place.index);
}

void ServingSystem::on_completed(SequenceId id) {
  on_load_changed(pool_[id].instance);
  report(id, metrics::Outcome::completed, metrics::Cause::none);
  pool_.release(id);
}

void ServingSystem::on_cancelled_gone(SequenceId id) {
  --leaving_;
  pool_.release(id);
}

void ServingSystem::on_end_of_time(std::uint32_t instance) {
  if (!stall_) stall_ = Stall{0, fmt::format("simulated time beyond 106 days, at instance {}", instance)};
  engine_.stop();
}

void ServingSystem::reject(SequenceId id, metrics::Cause cause) {
  report(id, metrics::Outcome::rejected, cause);
  pool_.release(id);
}

void ServingSystem::report(SequenceId id, metrics::Outcome outcome, metrics::Cause cause) {
  const Sequence& sequence = pool_[id];
  engine_.cancel(sequence.timeout);
  metrics::RequestOutcome report;
  report.id = sequence.request;
  report.outcome = outcome;
  report.cause = cause;
  report.instance = sequence.instance;
  report.pool = instances_.empty() ? 0 : instances_[sequence.instance].place().pool;
  report.request_class = sequence.request_class;
  report.arrival = sequence.arrival;
  if (sequence.scheduled != SimTime::max()) report.scheduled = sequence.scheduled;
  report.first_token = sequence.first_token;
  report.last_token = sequence.last_token;
  report.longest_gap = sequence.longest_gap;
  report.input_tokens = sequence.input_tokens;
  report.output_tokens = sequence.emitted;
  report.cached_input_tokens = sequence.cached_input_tokens;
  report.preemptions = sequence.preemptions;
  report.logged = sequence.logged;
  count_out(report);
  if (sequence.session == 0) return;
  const bool has_completed = outcome == metrics::Outcome::completed;
  std::vector<traces::Request> children = dependents_.close(sequence.request, has_completed, engine_.now());
  if (!has_completed) {
    lose(std::move(children));
    return;
  }
  for (traces::Request& child : children) {
    const SimTime due = std::max(child.arrival, engine_.now() + child.think_time);
    park(std::move(child), due);
  }
}

// A parent did not complete: its children are cancelled, and theirs.
void ServingSystem::lose(std::vector<traces::Request> requests) {
  while (!requests.empty()) {
    const traces::Request request = std::move(requests.back());
    requests.pop_back();
    metrics::RequestOutcome report;
    report.id = request.id;
    report.outcome = metrics::Outcome::cancelled;
    report.cause = metrics::Cause::parent_lost;
    report.request_class = request.request_class;
    report.arrival = request.arrival;
    report.input_tokens = request.input_tokens;
    report.logged = request.logged;
    count_out(report);
    for (traces::Request& child : dependents_.close(request.id, false, engine_.now())) requests.push_back(std::move(child));
  }
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

std::int64_t ServingSystem::steps_ended() {
  std::int64_t steps = 0;
  for (Instance& instance : instances_) steps += instance.steps_ended();
  return steps;
}

std::optional<Stall> ServingSystem::finish() const {
  invariant(counts_.total == counts_.completed + counts_.rejected + counts_.failed + counts_.cancelled + counts_.in_flight,
            "requests are conserved");
  const std::size_t parked = parked_.size() - free_parked_.size();
  invariant(counts_.in_flight + leaving_ == pool_.in_use() + parked + dependents_.waiting(),
            "each request in flight is in one place");
  if (stall_) return stall_;
  for (const Instance& instance : instances_) {
    const Scheduler& scheduler = instance.scheduler();
    if (instance.outstanding() == 0) {
      invariant(leaving_ > 0 || scheduler.kv().used() == 0, "an instance without requests uses no KV block");
      continue;
    }
    const bool queued = scheduler.running_count() == 0;
    const SequenceId id = queued ? scheduler.first_waiting() : scheduler.first_running();
    return Stall{pool_[id].request,
                 fmt::format("{} of {} KV blocks are free at instance {} of pool {}", scheduler.kv().free(), scheduler.kv().blocks(),
                             instance.place().index, spec_.pools[instance.place().pool].name)};
  }
  if (dependents_.waiting() == 0) return std::nullopt;
  const auto [child, parent] = dependents_.first_waiting();
  return Stall{child, fmt::format("request {} has not completed", parent)};
}

int ServingSystem::group_of(std::uint32_t model) {
  return looked_up(group_of_model_, model, [&] {
    auto found = std::ranges::find(group_models_, source_.name(model));
    if (found == group_models_.end()) found = std::ranges::find(group_models_, "");
    return found == group_models_.end() ? none : static_cast<int>(found - group_models_.begin());
  });
}

const RequestClassSpec* ServingSystem::class_of(std::uint32_t request_class) {
  const int index = looked_up(class_of_name_, request_class, [&] {
    const auto found = std::ranges::find(spec_.classes, source_.name(request_class), &RequestClassSpec::name);
    return found == spec_.classes.end() ? none : static_cast<int>(found - spec_.classes.begin());
  });
  return index == none ? nullptr : &spec_.classes[static_cast<std::size_t>(index)];
}

}  // namespace rackwright::serving
