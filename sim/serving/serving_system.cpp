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
enum EventKind : std::uint64_t { client_gives_up, kv_moves, prompt_may_start, instance_is_reached, samples_act };
constexpr std::uint64_t token(EventKind kind, SequenceId id) { return kind << 32 | id; }

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
                             metrics::RunObserver& observer, KvTransport* transport, StepTraffic* traffic)
    : engine_(engine), spec_(spec), source_(source), observer_(observer), streams_(engine, pool_, transport, *this),
      intake_(engine, source, *this), tools_(engine, spec.tools, stations_, source, *this) {
  for (std::uint32_t pool = 0; pool < spec.pools.size(); ++pool) {
    const PoolSpec& pool_spec = spec.pools[pool];
    InstanceGroup& group = group_of(pool_spec);
    SharedStores shared_tiers;
    for (const KvTierSpec& tier : pool_spec.instance.kv_tiers) shared_tiers.push_back(std::make_shared<TierStore>(tier.capacity_tokens));
    for (int replica = 0; replica < pool_spec.replicas; ++replica) {
      const auto index = static_cast<std::uint32_t>(instances_.size());
      InstancePlace place{pool, index, first_instance_entity + index};
      if (pool_spec.helper_pool >= 0) {
        place.helper_pool = pool_spec.helper_pool;
        place.helper = first_instance(static_cast<std::size_t>(pool_spec.helper_pool)) + static_cast<std::uint32_t>(replica);
      }
      instances_.push_back(make_instance(pool_spec.instance, place, spec.jumping, {engine, pool_, *this, observer, traffic, shared_tiers}));
      placements_.push_back({&group, group.members()});
      prompt_tokens_.push_back(0);
      group.add(*instances_.back());
    }
  }
  make_stations();
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
    case samples_act: act_on_samples(id); break;
  }
}

void ServingSystem::on_taken() {
  ++counts_.total;
  ++counts_.in_flight;
}

std::uint64_t ServingSystem::samples_token(std::uint32_t group) const { return token(samples_act, group); }

void ServingSystem::admit(SequenceId id, traces::Request& request) {
  const std::string& of_class = class_of(request.request_class).model;
  const int service = of_class.empty() ? service_of(request.model) : service_called(of_class);
  if (service != none && services_[static_cast<std::size_t>(service)].entry.size() > 0) {
    pool_[id].service = static_cast<std::uint32_t>(service);
    open_samples(id, std::move(request.other_samples));
    pool_[id].milestone = next_milestone(pool_[id], 0);
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
  sequence.reasoning_tokens = request.reasoning_tokens;
  if (request.acceptance) sequence.acceptance = *request.acceptance;
  sequence.logged = request.logged;
  // Logged latencies count from where the request arrives now.
  const SimTime moved = sequence.arrival - request.arrival;
  if (sequence.logged.first_token) *sequence.logged.first_token += moved;
  if (sequence.logged.completion) *sequence.logged.completion += moved;
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
    if (sequence.samples != Sequence::none) samples_.close(std::exchange(sequence.samples, Sequence::none));
    report(id, metrics::Outcome::rejected, refused);
    pool_.release(id);
    return;
  }
  if (sequence.samples != Sequence::none) name_prompt(sequence, instance.spec().kv_layout.block_tokens());
  const Service& service = services_[sequence.service];
  const bool decodes_elsewhere = instance.spec().role == Role::prefill && sequence.answer_tokens > 1;
  if (decodes_elsewhere && computes_prompt_where_it_decodes(service, sequence, instance)) {
    submit_to_decoder(id);
    return;
  }
  if (instance.spec().role == Role::prefill) {
    sequence.prompt_instance = instance.place().index;
    prompt_tokens_[sequence.prompt_instance] += sequence.input_tokens;
    services_[sequence.service].forecast.prompt_begins(sequence);
  }
  if (decodes_elsewhere && service.transfer.initiative == KvTransferSpec::Initiative::push) {
    expect_before_prompt(id, instance.place().index);
  } else if (const SimTime delay = spec_.pools[instance.place().pool].client_delay; delay.ps > 0) {
    instance.announce();
    sequence.instance = instance.place().index;
    sequence.client_delay = delay;
    sequence.state = SequenceState::moving;
    engine_.at(saturating_sum(engine_.now(), delay), engine::Phase::arrival, own_entity, *this, token(instance_is_reached, id));
  } else {
    instance.submit(id);
  }
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

metrics::Cause ServingSystem::refusal(Instance& instance, Sequence& sequence) {
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
  const Service& service = services_[sequence.service];
  if (pool.admission.decode_load != DecodeLoad::ignore &&
      !service.forecast.keeps(pool.admission.decode_load, class_of(sequence.request_class).step_within, engine_.now(), instance.estimated_first_token(sequence),
                              service.decode))
    return metrics::Cause::admission;
  return pool.admission.admits(instance, sequence) ? metrics::Cause::none : metrics::Cause::admission;
}

// Routing waits for the arrivals of this instant, when every instance has passed its boundary.
void ServingSystem::on_prefilled(SequenceId id) {
  Sequence& sequence = pool_[id];
  prompt_leaves(sequence);
  services_[sequence.service].forecast.decode_begins(id, sequence.first_token);
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

void ServingSystem::give_up(SequenceId id) {
  Sequence& sequence = pool_[id];
  bool is_gone = false;
  const bool is_moving = sequence.state == SequenceState::moving;
  if (is_moving && sequence.samples != Sequence::none) samples_.close(std::exchange(sequence.samples, Sequence::none));
  if (sequence.samples != Sequence::none) {
    is_gone = give_up_samples(id);
  } else if (is_moving) {
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

void ServingSystem::on_load_changed(std::uint32_t instance) {
  placements_[instance].group->on_load_changed(placements_[instance].index);
}

void ServingSystem::on_completed(SequenceId id) {
  on_load_changed(pool_[id].instance);
  if (pool_[id].samples != Sequence::none) {
    on_sample_completed(id);
    return;
  }
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

void ServingSystem::close() {
  for (const auto& instance : instances_) instance->close();
  for (Autoscaler& scaler : scalers_) scaler.close();
  for (Station& station : stations_) station.close();
}

bool ServingSystem::is_computing() const {
  return std::ranges::any_of(instances_, [](const auto& instance) { return instance->is_computing(); });
}

std::int64_t ServingSystem::steps_ended() {
  std::int64_t steps = 0;
  for (const auto& instance : instances_) steps += instance->steps_ended();
  return steps;
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
