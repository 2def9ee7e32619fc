#include "sim/fabric/fabric.h"

#include <algorithm>

#include "models/base/invariant.h"
#include "models/base/saturating.h"

namespace rackwright::fabric {

using namespace topologies;
using engine::Phase;

Fabric::Fabric(engine::Engine& engine, const Topology& topology, const FabricParameters& parameters)
    : engine_(engine),
      topology_(topology),
      reroute_delay_(parameters.reroute_delay),
      router_(topology, parameters.routing, this),
      transfers_on_(topology.links().size()),
      carried_bytes_(topology.links().size()) {
  for (std::uint32_t link = 0; link < topology.links().size(); ++link) {
    link_ids_.push_back(engine_.add_link(topology.links()[link].bandwidth));
    is_usable_.push_back(router_.usable({link}));
  }
}

// ---- transfers

TransferId Fabric::start(const TransferRequest& request, std::uint32_t entity, TransferHandler& handler,
                         std::uint64_t token) {
  const TransferId id{transfers_.insert({})};
  Transfer& transfer = transfers_[transfers_.slot_of(id.value)];
  transfer.request = request;
  transfer.entity = entity;
  transfer.handler = &handler;
  transfer.token = token;
  transfer.bytes_left = request.bytes;
  take_path(transfers_.slot_of(id.value));
  return id;
}

bool Fabric::cancel(TransferId id) {
  if (!transfers_.find(id.value)) return false;
  leave_path(transfers_.slot_of(id.value));
  transfers_.erase(transfers_.slot_of(id.value));
  return true;
}

double Fabric::rate(TransferId id) const {
  const Transfer* transfer = transfers_.find(id.value);
  return transfer ? engine_.flow_rate(transfer->flow) : 0;
}

double Fabric::bytes_left(TransferId id) const {
  const Transfer* transfer = transfers_.find(id.value);
  if (!transfer) return 0;
  return transfer->flow.value != 0 ? engine_.flow_bytes_left(transfer->flow) : transfer->bytes_left;
}

std::span<const LinkIndex> Fabric::path(TransferId id) const {
  const Transfer* transfer = transfers_.find(id.value);
  return transfer ? std::span<const LinkIndex>(transfer->route.links) : std::span<const LinkIndex>();
}

void Fabric::take_path(std::uint32_t slot) {
  Transfer& transfer = transfers_[slot];
  const TransferRequest& request = transfer.request;
  engine_.cancel(transfer.event);
  transfer.event = {};
  transfer.has_path = router_.find({request.from, request.to, request.flow}, transfer.route);
  if (!transfer.has_path) {
    // Told by an event, since whoever starts or fails something is not to be called back meanwhile.
    if (transfer.told_rate != 0)
      transfer.event = engine_.at(engine_.now(), Phase::transfer, transfer.entity, *this, slot);
    return;
  }
  for (const LinkIndex link : transfer.route.links) ++transfers_on_[link.value];
  const SimTime latency = sim_time(transfer.has_paid_latency ? 0 : request.start_s + transfer.route.latency_s);
  if (latency == SimTime{}) {
    transfer.has_paid_latency = true;
    return start_flow(slot);
  }
  transfer.event = engine_.at(saturating_sum(engine_.now(), latency), Phase::transfer, transfer.entity, *this, slot);
}

void Fabric::start_flow(std::uint32_t slot) {
  Transfer& transfer = transfers_[slot];
  path_.clear();
  for (const LinkIndex link : transfer.route.links) path_.push_back(link_ids_[link.value]);
  path_.insert(path_.end(), transfer.request.ports.begin(), transfer.request.ports.end());
  transfer.flow_since = engine_.now();
  transfer.flow = engine_.start_flow({path_, transfer.bytes_left, transfer.request.rate_cap, transfer.request.reports}, transfer.entity,
                                     *this, slot);
}

void Fabric::leave_path(std::uint32_t slot) {
  Transfer& transfer = transfers_[slot];
  engine_.cancel(transfer.event);
  transfer.event = {};
  if (transfer.flow.value != 0) {
    const double left = engine_.flow_bytes_left(transfer.flow);
    count_bytes(transfer, transfer.bytes_left - left);
    transfer.bytes_left = left;
    engine_.cancel_flow(transfer.flow);
    transfer.flow = {};
  }
  if (transfer.has_path)
    for (const LinkIndex link : transfer.route.links) --transfers_on_[link.value];
  transfer.has_path = false;
  transfer.route = {};
}

void Fabric::count_bytes(const Transfer& transfer, double bytes) {
  for (const LinkIndex link : transfer.route.links) carried_bytes_[link.value] += bytes;
  if (watcher_ && bytes > 0) watcher_->on_carried(transfer.route.links, bytes, transfer.flow_since, engine_.now());
}

void Fabric::tell_rate(std::uint32_t slot, double rate) {
  Transfer& transfer = transfers_[slot];
  if (transfer.told_rate == rate) return;
  transfer.told_rate = rate;
  transfer.handler->on_transfer_rate({transfers_.id_of(slot)}, transfer.token, rate);
}

void Fabric::on_flow_rate(engine::FlowId, std::uint64_t slot, double rate) {
  tell_rate(static_cast<std::uint32_t>(slot), rate);
}

void Fabric::on_flow_done(engine::FlowId, std::uint64_t token) {
  const std::uint32_t slot = static_cast<std::uint32_t>(token);
  Transfer& transfer = transfers_[slot];
  count_bytes(transfer, transfer.bytes_left);
  transfer.flow = {};
  leave_path(slot);
  const TransferId id{transfers_.id_of(slot)};
  TransferHandler& handler = *transfer.handler;
  const std::uint64_t handler_token = transfer.token;
  transfers_.erase(slot);
  handler.on_transfer_done(id, handler_token);
}

// The transfer waits for a path, or has paid the latency of its path, or others know by now that its path failed.
void Fabric::on_event(std::uint64_t token) {
  const std::uint32_t slot = static_cast<std::uint32_t>(token);
  Transfer& transfer = transfers_[slot];
  transfer.event = {};
  if (!transfer.has_path) return tell_rate(slot, 0);
  transfer.has_paid_latency = true;
  if (!is_up(transfer)) {
    leave_path(slot);
    take_path(slot);
  } else if (transfer.flow.value == 0) {
    start_flow(slot);
  }
}

double Fabric::load(LinkIndex link) const {
  return static_cast<double>(transfers_on_[link.value]) / topology_[link].bandwidth;
}

// ---- failures

void Fabric::fail(LinkIndex cable) { router_.fail(cable); update_links(); }
void Fabric::fail(VertexIndex vertex) { router_.fail(vertex); update_links(); }
void Fabric::fail(DomainIndex domain) { router_.fail(domain); update_links(); }
void Fabric::restore(LinkIndex cable) { router_.restore(cable); update_links(); }
void Fabric::restore(VertexIndex vertex) { router_.restore(vertex); update_links(); }
void Fabric::restore(DomainIndex domain) { router_.restore(domain); update_links(); }

void Fabric::update_links() {
  for (std::uint32_t link = 0; link < link_ids_.size(); ++link) {
    const bool usable = router_.usable({link});
    if (usable == is_usable_[link]) continue;
    is_usable_[link] = usable;
    engine_.set_bandwidth(link_ids_[link], usable ? topology_.links()[link].bandwidth : 0);
  }
  leave_failed_paths();
  retry_waiting();
}

bool Fabric::is_up(const Transfer& transfer) const {
  return std::ranges::all_of(transfer.route.links, [this](LinkIndex link) { return is_usable_[link.value]; });
}

void Fabric::leave_failed_paths() {
  for (const std::uint64_t id : transfers_.ids()) {
    const std::uint32_t slot = transfers_.slot_of(id);
    Transfer& transfer = transfers_[slot];
    const bool is_under_way = transfer.flow.value != 0;
    if (!is_under_way || transfer.event.value != 0 || is_up(transfer)) continue;
    if (reroute_delay_ > SimTime{}) {
      transfer.event = engine_.at(saturating_sum(engine_.now(), reroute_delay_), Phase::transfer, transfer.entity, *this, slot);
    } else {
      leave_path(slot);
      take_path(slot);
    }
  }
}

void Fabric::retry_waiting() {
  for (const std::uint64_t id : transfers_.ids()) {
    const std::uint32_t slot = transfers_.slot_of(id);
    if (!transfers_[slot].has_path) take_path(slot);
  }
}

}  // namespace rackwright::fabric
