// Several completions of one prompt.
#include <algorithm>
#include <limits>
#include <utility>

#include "models/base/hash.h"
#include "models/base/invariant.h"
#include "sim/serving/serving_system.h"

namespace rackwright::serving {

/// Makes the sequence the first of several completions.
void ServingSystem::open_samples(SequenceId id, std::vector<std::int32_t> others) {
  if (!others.empty()) pool_[id].samples = samples_.open(id, std::move(others));
}

/// Without hashes of the source's, only completions of one prompt share its blocks.
void ServingSystem::name_prompt(Sequence& sequence, std::int32_t block_tokens) const {
  if (!sequence.prefix_hashes.empty()) return;
  sequence.hash_tokens = block_tokens;
  for (std::int32_t i = 0; i < sequence.input_tokens / block_tokens; ++i) {
    const std::uint64_t key[] = {sequence.request, static_cast<std::uint64_t>(i)};
    sequence.prefix_hashes.push_back(hash64({reinterpret_cast<const char*>(key), sizeof key}, 0x5a3d1e));
  }
}

/// Of a group that has something to do now: its others start, or it has an answer.
void ServingSystem::act_on_samples(std::uint32_t at) {
  SampleGroup& group = samples_[at];
  if (group.winner != no_sequence) answer_with(group.winner, at);
  else if (group.leader != no_sequence && pool_[group.leader].emitted > 0 && !group.to_start.empty()) start_samples(at);
}

void ServingSystem::start_samples(std::uint32_t at) {
  const SequenceId leader_id = samples_[at].leader;
  const std::vector<std::int32_t> lengths = std::exchange(samples_[at].to_start, {});
  const std::uint32_t instance = pool_[leader_id].instance;
  for (const std::int32_t tokens : lengths) {
    const SequenceId id = pool_.claim();
    const Sequence& leader = pool_[leader_id];
    Sequence& sequence = pool_[id];
    sequence.request = leader.request;
    sequence.arrival = leader.arrival;
    sequence.input_tokens = leader.input_tokens;
    sequence.to_compute = leader.input_tokens;
    sequence.output_tokens = tokens;
    sequence.answer_tokens = tokens;
    sequence.request_class = leader.request_class;
    sequence.priority = leader.priority;
    sequence.deadline = leader.deadline;
    sequence.service = leader.service;
    sequence.acceptance = leader.acceptance;
    sequence.prefix_hashes = leader.prefix_hashes;
    sequence.hash_tokens = leader.hash_tokens;
    sequence.samples = at;
    sequence.sample = ++samples_[at].started;
    samples_[at].running.push_back(id);
    ++sample_sequences_;
    instances_[instance]->submit(id);
  }
  on_load_changed(instance);
}

// Others are taken out between steps only, so the answer waits for the arrivals of this instant.
void ServingSystem::on_sample_completed(SequenceId id) {
  const std::uint32_t at = pool_[id].samples;
  SampleGroup& group = samples_[at];
  const bool is_leader = id == group.leader;
  if (is_leader) group.leader_runs = false;
  else join_leader(id);
  const bool is_last = !group.leader_runs && group.running.empty() && group.to_start.empty();
  if (spec_.sample_rule == SampleRule::first && group.winner == no_sequence) {
    group.winner = id;
    engine_.at(engine_.now(), engine::Phase::arrival, 0, *this, samples_token(at));
  } else if (spec_.sample_rule == SampleRule::all && is_last) {
    answer_with(id, at);
  } else if (!is_leader) {
    group.ended_tokens += pool_[id].emitted;
    release_sample(id);
  }
}

void ServingSystem::join_leader(SequenceId id) {
  const Sequence& sequence = pool_[id];
  SampleGroup& group = samples_[sequence.samples];
  std::erase(group.running, id);
  Sequence& leader = pool_[group.leader];
  leader.preemptions += sequence.preemptions;
  leader.longest_gap = std::max(leader.longest_gap, sequence.longest_gap);
}

/// The completion `id`, which has ended, is the request's answer; those that still run are dropped.
void ServingSystem::answer_with(SequenceId id, std::uint32_t at) {
  SampleGroup& group = samples_[at];
  const SequenceId leader_id = group.leader;
  const std::int32_t answer = pool_[id].emitted;
  const SimTime last_token = pool_[id].last_token;
  std::int64_t others = group.ended_tokens + drop_samples(group);
  if (id != leader_id) release_sample(id);
  bool is_gone = true;
  if (group.leader_runs) {
    is_gone = instances_[pool_[leader_id].instance]->cancel(leader_id);
    on_load_changed(pool_[leader_id].instance);
  }
  Sequence& leader = pool_[leader_id];
  if (id != leader_id) others += leader.emitted;
  leader.emitted = answer;
  leader.other_tokens = static_cast<std::int32_t>(std::min<std::int64_t>(others, std::numeric_limits<std::int32_t>::max()));
  leader.last_token = last_token;
  leader.samples = Sequence::none;
  samples_.close(at);
  report(leader_id, metrics::Outcome::completed, metrics::Cause::none);
  if (is_gone) pool_.release(leader_id);
  else ++leaving_;
}

/// The client of the request has given up; true when its first completion is out of its instance.
bool ServingSystem::give_up_samples(SequenceId leader_id) {
  const std::uint32_t at = std::exchange(pool_[leader_id].samples, Sequence::none);
  SampleGroup& group = samples_[at];
  if (group.winner != no_sequence && group.winner != leader_id) release_sample(group.winner);
  drop_samples(group);
  const bool leader_runs = group.leader_runs;
  samples_.close(at);
  if (!leader_runs) return true;
  const bool is_gone = instances_[pool_[leader_id].instance]->cancel(leader_id);
  on_load_changed(pool_[leader_id].instance);
  return is_gone;
}

/// Takes out the others that still run, and returns what they have emitted.
std::int64_t ServingSystem::drop_samples(SampleGroup& group) {
  std::int64_t tokens = 0;
  for (const SequenceId id : std::exchange(group.running, {})) {
    const std::uint32_t instance = pool_[id].instance;
    const bool is_gone = instances_[instance]->cancel(id);
    on_load_changed(instance);
    tokens += pool_[id].emitted;
    pool_[id].samples = Sequence::none;
    --sample_sequences_;
    if (is_gone) pool_.release(id);
    else ++leaving_;
  }
  group.to_start.clear();
  return tokens;
}

void ServingSystem::release_sample(SequenceId id) {
  --sample_sequences_;
  pool_.release(id);
}

}  // namespace rackwright::serving
