#pragma once

#include <cstdint>
#include <unordered_map>

#include "sim/engine/engine.h"
#include "sim/serving/kv_transport.h"

namespace rackwright::serving {

/// Every transfer takes setup + bytes / rate, whatever else is on its way: for links that nothing shares.
class FixedRateTransport final : public KvTransport, private engine::EventHandler {
 public:
  /// `rate` in bytes per second.
  FixedRateTransport(engine::Engine& engine, double setup_s, double rate) : engine_(engine), setup_s_(setup_s), rate_(rate) {}
  std::uint64_t start(const KvTransfer& transfer, KvTransferHandler& handler, std::uint64_t token) override;
  double stop(std::uint64_t transfer) override;

 private:
  struct Call {
    KvTransferHandler* handler = nullptr;
    std::uint64_t token = 0;
    engine::EventId end;
    SimTime ends;
    double bytes = 0;
    double rate = 0;
  };
  void on_event(std::uint64_t number) override;

  engine::Engine& engine_;
  double setup_s_;
  double rate_;
  std::unordered_map<std::uint64_t, Call> calls_;
  std::uint64_t started_ = 0;
};

}  // namespace rackwright::serving
