// The way of a request from the instance that computes its prompt to the one that decodes.
#include "models/base/invariant.h"
#include "sim/serving/serving_system.h"

namespace rackwright::serving {

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

/// It is computed, or will not be.
void ServingSystem::prompt_leaves(Sequence& sequence) {
  if (sequence.prompt_instance == Sequence::no_instance) return;
  prompt_tokens_[sequence.prompt_instance] -= sequence.input_tokens;
  services_[sequence.service].forecast.prompt_ends();
  sequence.prompt_instance = Sequence::no_instance;
}

}  // namespace rackwright::serving
