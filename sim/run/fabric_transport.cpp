#include "sim/run/fabric_transport.h"

namespace rackwright::run {

std::uint64_t FabricTransport::start(const serving::KvTransfer& transfer, serving::KvTransferHandler& handler, std::uint64_t token) {
  const std::uint64_t id = calls_.insert({&handler, token, {}});
  const std::uint32_t slot = engine::SlotTable<Call>::slot_of(id);
  // The request is what a hash of equal-cost paths tells apart.
  const fabric::DeviceTransfer over{devices_[transfer.from], devices_[transfer.to], transfer.bytes, transfer.rate_cap, transfer.request};
  calls_[slot].over = network_.start(over, transfer.to, *this, slot);
  return id;
}

double FabricTransport::stop(std::uint64_t transfer) {
  const std::uint32_t slot = engine::SlotTable<Call>::slot_of(transfer);
  const double left = network_.bytes_left(calls_[slot].over);
  network_.cancel(calls_[slot].over);
  calls_.erase(slot);
  return left;
}

void FabricTransport::on_device_transfer_done(fabric::DeviceTransferId, std::uint64_t slot) {
  const auto at = static_cast<std::uint32_t>(slot);
  const Call call = calls_[at];
  calls_.erase(at);
  call.handler->on_kv_there(call.token);
}

}  // namespace rackwright::run
