#include "sim/run/kv_transports.h"

#include <algorithm>
#include <utility>

#include "models/base/invariant.h"
#include "sim/serving/serving_system.h"

namespace rackwright::run {
namespace {

std::vector<double> port_rates(const std::vector<KvEnd>& ends) {
  std::vector<double> rates;
  for (const KvEnd& end : ends) rates.push_back(end.port_bytes_per_s);
  return rates;
}

}  // namespace

KvTransports::KvTransports(engine::Engine& engine, fabric::DeviceFabric* network, std::vector<KvEnd> ends)
    : engine_(engine), network_(network), ends_(std::move(ends)), ports_(engine, port_rates(ends_)), ports_done_(*this), sending_(ends_.size()) {}

std::uint64_t KvTransports::start(const serving::KvTransfer& transfer, serving::KvTransferHandler& handler, std::uint64_t token) {
  const std::uint64_t id = calls_.insert({&handler, token, {}, 0, transfer.from, 0});
  const std::uint32_t slot = engine::SlotTable<Call>::slot_of(id);
  const KvEnd& from = ends_[transfer.from];
  const KvEnd& to = ends_[transfer.to];
  if (to.port_bytes_per_s > 0) {
    calls_[slot].over_ports = ports_.start(transfer, ports_done_, slot);
    return id;
  }
  invariant(network_ != nullptr, "KV goes over the network, or over ports that are stated");
  const topologies::DeviceTransfer moved{from.devices, to.devices, transfer.bytes, transfer.rate_cap, transfer.request, to.mechanism};
  calls_[slot].over_network = network_->start(moved, transfer.to, *this, slot);
  const auto mechanism = to.mechanism.value_or(network_->paths().default_mechanism(from.devices, to.devices));
  calls_[slot].sm_share = network_->sm_share(from.devices, mechanism, from.sms);
  begin_taking(calls_[slot]);
  return id;
}

double KvTransports::stop(std::uint64_t transfer) {
  const std::uint32_t slot = engine::SlotTable<Call>::slot_of(transfer);
  const Call call = calls_[slot];
  calls_.erase(slot);
  if (call.over_ports != 0) return ports_.stop(call.over_ports);
  stop_taking(call);
  const double left = network_->bytes_left(call.over_network);
  network_->cancel(call.over_network);
  return left;
}

void KvTransports::on_device_transfer_done(fabric::DeviceTransferId, std::uint64_t slot) { finish(static_cast<std::uint32_t>(slot)); }

void KvTransports::finish(std::uint32_t slot) {
  const Call call = calls_[slot];
  calls_.erase(slot);
  stop_taking(call);
  call.handler->on_kv_there(call.token);
}

// ---- what transfers take of compute

void KvTransports::begin_taking(const Call& call) {
  if (call.sm_share <= 0) return;
  Sending& sending = sending_[call.from];
  ++sending.transfers;
  sending.sm_share = std::max(sending.sm_share, call.sm_share);
  tell_soon(call.from);
}

void KvTransports::stop_taking(const Call& call) {
  if (call.sm_share <= 0) return;
  Sending& sending = sending_[call.from];
  if (--sending.transfers > 0) return;
  sending.sm_share = 0;
  tell_soon(call.from);
}

/// Operating points change after all else at an instant, once.
void KvTransports::tell_soon(std::uint32_t instance) {
  if (system_ == nullptr || std::exchange(sending_[instance].is_planned, true)) return;
  engine_.at(engine_.now(), engine::Phase::control, instance, *this, instance);
}

void KvTransports::on_event(std::uint64_t instance) {
  Sending& sending = sending_[instance];
  sending.is_planned = false;
  constexpr double least_left = 0.01;  // Compute never stands still.
  system_->instance(instance).set_operating_point({1, std::max(least_left, 1 - sending.sm_share)});
}

}  // namespace rackwright::run
