#include "sim/serving/port_transport.h"

#include <array>

namespace rackwright::serving {

PortTransport::PortTransport(engine::Engine& engine, std::span<const double> port_bytes_per_s) : engine_(engine) {
  for (const double rate : port_bytes_per_s)
    ports_.push_back(rate > 0 ? Ports{engine.add_link(rate), engine.add_link(rate)} : Ports{});
}

std::uint64_t PortTransport::start(const KvTransfer& transfer, KvTransferHandler& handler, std::uint64_t token) {
  const std::uint64_t id = calls_.insert({&handler, token, {}});
  const std::uint32_t slot = engine::SlotTable<Call>::slot_of(id);
  const std::array path{ports_[transfer.from].out, ports_[transfer.to].in};
  calls_[slot].flow = engine_.start_flow({path, transfer.bytes, transfer.rate_cap, engine::RateReports::none}, transfer.to, *this, slot);
  return id;
}

double PortTransport::stop(std::uint64_t transfer) {
  const std::uint32_t slot = engine::SlotTable<Call>::slot_of(transfer);
  const double left = engine_.flow_bytes_left(calls_[slot].flow);
  engine_.cancel_flow(calls_[slot].flow);
  calls_.erase(slot);
  return left;
}

void PortTransport::on_flow_done(engine::FlowId, std::uint64_t slot) {
  const auto at = static_cast<std::uint32_t>(slot);
  const Call call = calls_[at];
  calls_.erase(at);
  call.handler->on_kv_there(call.token);
}

}  // namespace rackwright::serving
