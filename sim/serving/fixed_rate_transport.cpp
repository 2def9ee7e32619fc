#include "sim/serving/fixed_rate_transport.h"

namespace rackwright::serving {

void FixedRateTransport::start(const KvTransfer& transfer, KvTransferHandler& handler, std::uint64_t token) {
  calls_[started_] = {&handler, token};
  const SimTime end = engine_.now() + sim_time(setup_s_ + transfer.bytes / rate_);
  engine_.at(end, engine::Phase::transfer, transfer.to, *this, started_++);
}

void FixedRateTransport::on_event(std::uint64_t number) {
  const Call call = calls_.extract(number).mapped();
  call.handler->on_kv_there(call.token);
}

}  // namespace rackwright::serving
