#include "sim/serving/serving_system.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "models/base/invariant.h"
#include "models/base/saturating.h"

namespace rackwright::serving {
namespace {

constexpr std::uint32_t own_entity = 0;
constexpr std::uint32_t first_instance_entity = 1;
constexpr int none = -1;
constexpr int not_looked_up = -2;

// An event is a kind above 32 bits of the sequence that it is about.
enum EventKind : std::uint64_t { client_gives_up, kv_moves, prompt_may_start, instance_is_reached };
constexpr std::uint64_t token(EventKind kind, SequenceId id) { return kind << 32 | id; }

/// Whether KV of it is on its way to blocks that were taken for it.
bool is_fetched(const Sequence& sequence) { return sequence.state == SequenceState::receiving || sequence.state == SequenceState::loading; }

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
                             metrics::RunObserver& observer, KvTransport* transport)
    : engine_(engine), spec_(spec), source_(source), observer_(observer), streams_(engine, pool_, transport, *this),
      intake_(engine, source, *this) {
  for (std::uint32_t pool = 0; pool < spec.pools.size(); ++pool) {
    const PoolSpec& pool_spec = spec.pools[pool];
    InstanceGroup& group = group_of(pool_spec);
    for (int replica = 0; replica < pool_spec.replicas; ++replica) {
      const auto index = static_cast<std::uint32_t>(instances_.size());
      InstancePlace place{pool, index, first_instance_entity + index};
      if (pool_spec.helper_pool >= 0) {
        place.helper_pool = pool_spec.helper_pool;
        place.helper = first_instance(static_cast<std::size_t>(pool_spec.helper_pool)) + static_cast<std::uint32_t>(replica);
      }
      instances_.push_back(make_instance(pool_spec.instance, place, spec.jumping, {engine, pool_, *this, observer}));
      placements_.push_back({&group, group.members()});
      prompt_tokens_.push_back(0);
      group.add(*instances_.back());
    }
  }
  std::uint32_t first = 0;
  for (const PoolSpec& pool : spec.pools) {
    const auto replicas = static_cast<std::uint32_t>(pool.replicas);
    if (pool.scaling.is_on() && replicas > 0)
      scalers_.emplace_back(engine, pool.scaling, *placements_[first].group, placements_[first].index, replicas, observer);
    first += replicas;
  }
  for (const PoolSpec& pool : spec.pools)
    if (pool.instance.role == Role::prefill)
      invariant(service_for(pool.model).decode.size() > 0 && transport != nullptr,
                "a model with a prefill pool has a decode pool, and a transport between them");
}

InstanceGroup& ServingSystem::group_of(const PoolSpec& pool) {
  if (pool.instance.role == Role::helper) return helpers_;
  Service& service = service_for(pool.model);
  if (pool.instance.role != Role::decode) return service.entry;
  service.transfer = pool.kv_transfer;
  return service.decode;
}

std::uint32_t ServingSystem::first_instance(std::size_t pool) const {
  int before = 0;
  for (std::size_t i = 0; i < pool; ++i) before += spec_.pools[i].replicas;
  return static_cast<std::uint32_t>(before);
}

ServingSystem::Service& ServingSystem::service_for(const std::string& model) {
  const auto known = std::ranges::find(services_, model, &Service::model);
  if (known != services_.end()) return *known;
  services_.emplace_back().model = model;
  return services_.back();
}

void ServingSystem::on_event(std::uint64_t token) {
  const auto id = static_cast<SequenceId>(token);
  switch (static_cast<EventKind>(token >> 32)) {
    case client_gives_up: give_up(id); break;
    case kv_moves: hand_over(id); break;
    case prompt_may_start: start_prompt(id); break;
    case instance_is_reached: reach_instance(id); break;
  }
}

void ServingSystem::on_taken() {
  ++counts_.total;
  ++counts_.in_flight;
}

void ServingSystem::on_arrival(traces::Request& request) {
  const SequenceId id = make_sequence(request);
  const std::string& of_class = class_of(request.request_class).model;
  const int service = of_class.empty() ? service_of(request.model) : service_called(of_class);
  if (service != none && services_[static_cast<std::size_t>(service)].entry.size() > 0) {
    pool_[id].service = static_cast<std::uint32_t>(service);
    route(id);
    return;
  }
  report(id, metrics::Outcome::rejected, metrics::Cause::no_pool);
  pool_.release(id);
}

SequenceId ServingSystem::make_sequence(traces::Request& request) {
  const SequenceId id = pool_.claim();
  Sequence& sequence = pool_[id];
  sequence.request = request.id;
  sequence.arrival = engine_.now();
  sequence.input_tokens = request.input_tokens;
  sequence.output_tokens = request.output_tokens;
  sequence.answer_tokens = request.output_tokens;
  sequence.to_compute = request.input_tokens;
  sequence.request_class = request.request_class;
  sequence.session = request.session;
  sequence.logged = request.logged;
  sequence.prefix_hashes.swap(request.block_hashes);
  chain(sequence.prefix_hashes);
  sequence.hash_tokens = request.block_tokens;
  const RequestClassSpec& known = class_of(request.request_class);
  sequence.priority = known.priority;
  sequence.deadline = saturating_sum(sequence.arrival, known.first_token_within);
  if (known.timeout != SimTime::max())
    sequence.timeout = engine_.at(saturating_sum(engine_.now(), known.timeout), engine::Phase::arrival, own_entity, *this,
                                  token(client_gives_up, id));
  return id;
}

void ServingSystem::route(SequenceId id) {
  Sequence& sequence = pool_[id];
  InstanceGroup& group = services_[sequence.service].entry;
  const std::uint32_t chosen = spec_.router->choose(sequence, group);
  invariant(chosen < group.size(), "a router chooses one of the instances it was shown");
  group.count_routed();
  Instance& instance = group[chosen];
  const metrics::Cause refused = refusal(instance, sequence);
  if (refused != metrics::Cause::none) {
    report(id, metrics::Outcome::rejected, refused);
    pool_.release(id);
    return;
  }
  const Service& service = services_[sequence.service];
  const bool decodes_elsewhere = instance.spec().role == Role::prefill && sequence.answer_tokens > 1;
  if (decodes_elsewhere && computes_prompt_where_it_decodes(service, sequence, instance)) {
    submit_to_decoder(id);
    return;
  }
  if (instance.spec().role == Role::prefill) {
    sequence.prompt_instance = instance.place().index;
    prompt_tokens_[sequence.prompt_instance] += sequence.input_tokens;
  }
  if (decodes_elsewhere && service.transfer.initiative == KvTransferSpec::Initiative::push) {
    expect_before_prompt(id, instance.place().index);
  } else if (const SimTime delay = spec_.pools[instance.place().pool].client_delay; delay.ps > 0) {
    instance.announce();
    sequence.instance = instance.place().index;
    sequence.client_delay = delay;
    sequence.state = SequenceState::moving;
    engine_.at(engine_.now() + delay, engine::Phase::arrival, own_entity, *this, token(instance_is_reached, id));
  } else {
    instance.submit(id);
  }
  on_load_changed(group[chosen].place().index);
}

bool ServingSystem::computes_prompt_where_it_decodes(const Service& service, const Sequence& sequence, const Instance& prefill) const {
  return sequence.input_tokens < service.transfer.local_prompt_tokens ||
         prompt_tokens_[prefill.place().index] > service.transfer.spill_tokens;
}

void ServingSystem::submit_to_decoder(SequenceId id) {
  Sequence& sequence = pool_[id];
  InstanceGroup& group = services_[sequence.service].decode;
  const std::uint32_t chosen = chosen_decoder(sequence, group);
  sequence.output_tokens = sequence.answer_tokens;
  group[chosen].submit(id);
  on_load_changed(group[chosen].place().index);
}

void ServingSystem::reach_instance(SequenceId id) {
  const Sequence& sequence = pool_[id];
  Instance& instance = *instances_[sequence.instance];
  if (!sequence.cancelled) {
    instance.submit_announced(id);
    return;
  }
  instance.withdraw();
  on_load_changed(sequence.instance);
  on_cancelled_gone(id);
}

std::uint32_t ServingSystem::chosen_decoder(const Sequence& sequence, InstanceGroup& group) const {
  const Router& router = spec_.decode_router ? *spec_.decode_router : *spec_.router;
  const std::uint32_t chosen = router.choose(sequence, group);
  invariant(chosen < group.size(), "a router chooses one of the instances it was shown");
  group.count_routed();
  return chosen;
}

const KvTransferSpec& ServingSystem::transfer_to(std::uint32_t instance) const {
  return spec_.pools[instances_[instance]->place().pool].kv_transfer;
}

// To the decode instance it is a request whose prompt is computed; it asks for blocks as for such a one.
void ServingSystem::expect_before_prompt(SequenceId id, std::uint32_t prefill_instance) {
  Sequence& sequence = pool_[id];
  InstanceGroup& group = services_[sequence.service].decode;
  const std::uint32_t chosen = chosen_decoder(sequence, group);
  instances_[prefill_instance]->announce();
  sequence.partner = prefill_instance;
  sequence.computed = sequence.input_tokens;
  sequence.output_tokens = sequence.answer_tokens;
  group[chosen].expect(id);
  on_load_changed(group[chosen].place().index);
}

void ServingSystem::start_prompt(SequenceId id) {
  Sequence& sequence = pool_[id];
  const std::uint32_t decoder = sequence.instance;
  Instance& instance = *instances_[sequence.partner];
  if (sequence.cancelled) {
    instance.withdraw();
    on_load_changed(sequence.partner);
    instances_[decoder]->drop_received(id);
    on_cancelled_gone(id);
    return;
  }
  sequence.partner = decoder;
  sequence.computed = 0;
  sequence.output_tokens = 1;
  instance.submit_announced(id);
}

void ServingSystem::on_prompt_step(SequenceId id, std::int32_t tokens, SimTime duration) {
  const Sequence& sequence = pool_[id];
  if (sequence.reserved_blocks == 0) return;
  const KvTransferSpec& transfer = transfer_to(sequence.partner);
  if (transfer.when == KvTransferSpec::When::layerwise)
    streams_.produce(id, transfer, sequence.instance, sequence.partner, sequence.computed + tokens, duration);
}

void ServingSystem::send_kv(SequenceId id) {
  const Sequence& sequence = pool_[id];
  Instance& sender = *instances_[sequence.kv_instance];
  sender.hold_until(streams_.complete(id, transfer_to(sequence.instance), sequence.kv_instance, sequence.instance, sender.held_until()));
}

metrics::Cause ServingSystem::refusal(Instance& instance, Sequence& sequence) const {
  const PoolSpec& pool = spec_.pools[instance.place().pool];
  const std::int64_t tokens = std::int64_t{sequence.input_tokens} + sequence.answer_tokens;
  if (pool.max_context_tokens > 0 && tokens > pool.max_context_tokens) return metrics::Cause::context_too_long;
  if (instance.spec().role == Role::prefill) {
    const Instance& decoder = services_[sequence.service].decode[0];
    const metrics::Cause refused = decoder.spec().policy->refuse(decoder.scheduler(), sequence);
    if (refused != metrics::Cause::none) return refused;
    sequence.output_tokens = 1;
  }
  const metrics::Cause refused = instance.spec().policy->refuse(instance.scheduler(), sequence);
  if (refused != metrics::Cause::none) return refused;
  return pool.admission.admits(instance, sequence) ? metrics::Cause::none : metrics::Cause::admission;
}

// Routing waits for the arrivals of this instant, when every instance has passed its boundary.
void ServingSystem::on_prefilled(SequenceId id) {
  Sequence& sequence = pool_[id];
  prompt_leaves(sequence);
  on_load_changed(sequence.instance);
  if (sequence.reserved_blocks > 0) {
    sequence.instance = sequence.partner;
    sequence.output_tokens = sequence.answer_tokens;
    instances_[sequence.instance]->claim(id);
    sequence.fetched_since = engine_.now();
    send_kv(id);
    return;
  }
  engine_.at(engine_.now(), engine::Phase::arrival, own_entity, *this, token(kv_moves, id));
}

void ServingSystem::hand_over(SequenceId id) {
  Sequence& sequence = pool_[id];
  if (sequence.cancelled) {
    release_kv(sequence);
    on_cancelled_gone(id);
    return;
  }
  InstanceGroup& group = services_[sequence.service].decode;
  const std::uint32_t chosen = chosen_decoder(sequence, group);
  sequence.output_tokens = sequence.answer_tokens;
  group[chosen].expect(id);
  on_load_changed(group[chosen].place().index);
}

// Word that blocks are taken reaches the prefill instance as late as KV would; and at another instant, so that it does
// not matter which of the two plans first.
void ServingSystem::on_reception_started(SequenceId id) {
  const Sequence& sequence = pool_[id];
  if (sequence.emitted > 0) {
    send_kv(id);
    return;
  }
  const SimTime word = std::max(transfer_to(sequence.instance).latency, SimTime{1});
  engine_.at(saturating_sum(engine_.now(), word), engine::Phase::arrival, own_entity, *this, token(prompt_may_start, id));
}

void ServingSystem::on_kv_there(std::uint64_t token) {
  const auto id = static_cast<SequenceId>(token);
  Sequence& sequence = pool_[id];
  release_kv(sequence);
  sequence.kv_exposed = engine_.now() - sequence.first_token;
  if (!sequence.cancelled) {
    instances_[sequence.instance]->receive(id);
    return;
  }
  instances_[sequence.instance]->drop_received(id);
  on_cancelled_gone(id);
}

void ServingSystem::release_kv(const Sequence& sequence) { instances_[sequence.kv_instance]->release_kv(sequence.kv_hold); }

void ServingSystem::give_up(SequenceId id) {
  Sequence& sequence = pool_[id];
  bool is_gone = false;
  if (sequence.state == SequenceState::moving) {
    sequence.cancelled = true;
  } else {
    const bool was_expected = sequence.state == SequenceState::expected;
    is_gone = instances_[sequence.instance]->cancel(id);
    on_load_changed(sequence.instance);
    if (was_expected) leave_prefiller(sequence);
    else if (sequence.state != SequenceState::receiving) leave_decoder(id);
  }
  report(id, metrics::Outcome::cancelled, metrics::Cause::timed_out);
  if (is_gone) pool_.release(id);
  else ++leaving_;
}

/// What was expected has its KV, or the announcement of its prompt, at a prefill instance.
void ServingSystem::leave_prefiller(const Sequence& sequence) {
  if (sequence.emitted > 0) {
    release_kv(sequence);
    return;
  }
  instances_[sequence.partner]->withdraw();
  on_load_changed(sequence.partner);
}

/// What is at a prefill instance may have blocks where it was to decode.
void ServingSystem::leave_decoder(SequenceId id) {
  const Sequence& sequence = pool_[id];
  if (sequence.reserved_blocks == 0) return;
  streams_.drop(id);
  instances_[sequence.partner]->drop_reservation(id);
  on_load_changed(sequence.partner);
}

void ServingSystem::on_load_changed(std::uint32_t instance) {
  placements_[instance].group->on_load_changed(placements_[instance].index);
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

/// It is computed, or will not be.
void ServingSystem::prompt_leaves(Sequence& sequence) {
  if (sequence.prompt_instance == Sequence::no_instance) return;
  prompt_tokens_[sequence.prompt_instance] -= sequence.input_tokens;
  sequence.prompt_instance = Sequence::no_instance;
}

void ServingSystem::report(SequenceId id, metrics::Outcome outcome, metrics::Cause cause) {
  Sequence& sequence = pool_[id];
  prompt_leaves(sequence);
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
  // Tokens are seen where the client is.
  report.first_token = sequence.first_token + sequence.client_delay;
  report.last_token = sequence.last_token + sequence.client_delay;
  report.longest_gap = sequence.longest_gap;
  if (sequence.kv_exposed.ps >= 0) report.kv_exposed = sequence.kv_exposed;
  report.input_tokens = sequence.input_tokens;
  report.output_tokens = sequence.emitted;
  report.cached_input_tokens = sequence.cached_input_tokens;
  report.preemptions = sequence.preemptions;
  report.logged = sequence.logged;
  count_out(report);
  if (sequence.session != 0) intake_.on_left(sequence.request, outcome == metrics::Outcome::completed);
}

void ServingSystem::on_lost(const traces::Request& request) {
  metrics::RequestOutcome report;
  report.id = request.id;
  report.outcome = metrics::Outcome::cancelled;
  report.cause = metrics::Cause::parent_lost;
  report.request_class = class_index(request.request_class);
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

void ServingSystem::close() {
  for (const auto& instance : instances_) instance->close();
  for (Autoscaler& scaler : scalers_) scaler.close();
}

bool ServingSystem::is_computing() const {
  return std::ranges::any_of(instances_, [](const auto& instance) { return instance->is_computing(); });
}

std::int64_t ServingSystem::steps_ended() {
  std::int64_t steps = 0;
  for (const auto& instance : instances_) steps += instance->steps_ended();
  return steps;
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
  invariant(counts_.in_flight + leaving_ == pool_.in_use() + intake_.held_back(), "each request in flight is in one place");
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

int ServingSystem::service_called(std::string_view model) const {
  auto found = std::ranges::find(services_, model, &Service::model);
  if (found == services_.end()) found = std::ranges::find(services_, "", &Service::model);
  return found == services_.end() ? none : static_cast<int>(found - services_.begin());
}

int ServingSystem::service_of(std::uint32_t model) {
  return looked_up(service_of_model_, model, [&] { return service_called(source_.name(model)); });
}

std::uint32_t ServingSystem::class_index(std::uint32_t name) {
  return static_cast<std::uint32_t>(looked_up(class_of_name_, name, [&] {
    const auto found = std::ranges::find(spec_.classes, source_.name(name), &RequestClassSpec::name);
    return found == spec_.classes.end() ? 0 : static_cast<int>(found - spec_.classes.begin()) + 1;
  }));
}

const RequestClassSpec& ServingSystem::class_of(std::uint32_t name) {
  const std::uint32_t index = class_index(name);
  return index == 0 ? spec_.others : spec_.classes[index - 1];
}

}  // namespace rackwright::serving
