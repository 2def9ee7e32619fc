#include "sim/serving/fixed_rate_transport.h"

#include <algorithm>

#include "models/base/saturating.h"

namespace rackwright::serving {

std::uint64_t FixedRateTransport::start(const KvTransfer& transfer, KvTransferHandler& handler, std::uint64_t token) {
  const double rate = transfer.rate_cap > 0 ? std::min(rate_, transfer.rate_cap) : rate_;
  const SimTime ends = saturating_sum(engine_.now(), sim_time(setup_s_ + transfer.bytes / rate));
  const engine::EventId end = engine_.at(ends, engine::Phase::transfer, transfer.to, *this, ++started_);
  calls_[started_] = {&handler, token, end, ends, transfer.bytes, rate};
  return started_;
}

double FixedRateTransport::stop(std::uint64_t transfer) {
  const Call call = calls_.extract(transfer).mapped();
  engine_.cancel(call.end);
  return std::min(call.bytes, (call.ends - engine_.now()).seconds() * call.rate);
}

void FixedRateTransport::on_event(std::uint64_t number) {
  const Call call = calls_.extract(number).mapped();
  call.handler->on_kv_there(call.token);
}

}  // namespace rackwright::serving
