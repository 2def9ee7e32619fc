#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/engine/engine.h"
#include "sim/engine/slot_table.h"
#include "sim/serving/kv_transport.h"

namespace rackwright::serving {

/// Every instance has one way out and one way in, which its transfers share max-min fairly; what lies between is never
/// full (a switch that blocks nobody, as inside one scale-up domain).
class PortTransport final : public KvTransport, private engine::FlowHandler {
 public:
  /// `port_bytes_per_s` by instance, the same out and in; 0 for one that moves no KV.
  PortTransport(engine::Engine& engine, std::span<const double> port_bytes_per_s);
  std::uint64_t start(const KvTransfer& transfer, KvTransferHandler& handler, std::uint64_t token) override;
  double stop(std::uint64_t transfer) override;

 private:
  struct Ports {
    engine::LinkId out;
    engine::LinkId in;
  };
  struct Call {
    KvTransferHandler* handler = nullptr;
    std::uint64_t token = 0;
    engine::FlowId flow;
  };
  void on_flow_done(engine::FlowId flow, std::uint64_t slot) override;

  engine::Engine& engine_;
  std::vector<Ports> ports_;
  engine::SlotTable<Call> calls_;
};

}  // namespace rackwright::serving
