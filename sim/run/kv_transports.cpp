#include "sim/run/kv_transports.h"

#include <utility>

#include "models/base/invariant.h"

namespace rackwright::run {
namespace {

std::vector<double> port_rates(const std::vector<KvEnd>& ends) {
  std::vector<double> rates;
  for (const KvEnd& end : ends) rates.push_back(end.port_bytes_per_s);
  return rates;
}

}  // namespace

KvTransports::KvTransports(engine::Engine& engine, fabric::DeviceFabric* network, std::vector<KvEnd> ends)
    : network_(network), ends_(std::move(ends)), ports_(engine, port_rates(ends_)), ports_done_(*this) {}

std::uint64_t KvTransports::start(const serving::KvTransfer& transfer, serving::KvTransferHandler& handler, std::uint64_t token) {
  const std::uint64_t id = calls_.insert({&handler, token, {}, 0});
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
  return id;
}

double KvTransports::stop(std::uint64_t transfer) {
  const std::uint32_t slot = engine::SlotTable<Call>::slot_of(transfer);
  const Call call = calls_[slot];
  calls_.erase(slot);
  if (call.over_ports != 0) return ports_.stop(call.over_ports);
  const double left = network_->bytes_left(call.over_network);
  network_->cancel(call.over_network);
  return left;
}

void KvTransports::on_device_transfer_done(fabric::DeviceTransferId, std::uint64_t slot) { finish(static_cast<std::uint32_t>(slot)); }

void KvTransports::finish(std::uint32_t slot) {
  const Call call = calls_[slot];
  calls_.erase(slot);
  call.handler->on_kv_there(call.token);
}

}  // namespace rackwright::run
