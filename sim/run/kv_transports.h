#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/cost/transfer_mechanism.h"
#include "sim/engine/slot_table.h"
#include "sim/fabric/device_fabric.h"
#include "sim/serving/kv_transport.h"
#include "sim/serving/port_transport.h"
#include "topologies/builders/hall.h"

namespace rackwright::run {

/// Where an instance's devices are, and how KV comes to it.
struct KvEnd {
  topologies::DeviceSet devices;
  std::optional<cost::TransferMechanism> mechanism;  ///< Of what it receives; absent: what the way takes.
  double port_bytes_per_s = 0;  ///< A bandwidth that the scenario states, for what it sends and receives; 0: the network's.
};

/// Carries KV over the network of the hall, and over ports of their own where a scenario states a bandwidth.
class KvTransports final : public serving::KvTransport, private fabric::DeviceTransferHandler {
 public:
  /// `ends` by instance. `network` may be null when all that receive have stated ports.
  KvTransports(engine::Engine& engine, fabric::DeviceFabric* network, std::vector<KvEnd> ends);

  std::uint64_t start(const serving::KvTransfer& transfer, serving::KvTransferHandler& handler, std::uint64_t token) override;
  double stop(std::uint64_t transfer) override;

 private:
  /// One transfer: over the network, or over ports.
  struct Call {
    serving::KvTransferHandler* handler = nullptr;
    std::uint64_t token = 0;
    fabric::DeviceTransferId over_network;
    std::uint64_t over_ports = 0;
  };
  /// Ports report to the handler by themselves, through this, so that a call is closed when it is done.
  struct PortsDone final : serving::KvTransferHandler {
    explicit PortsDone(KvTransports& to) : owner(to) {}
    void on_kv_there(std::uint64_t slot) override { owner.finish(static_cast<std::uint32_t>(slot)); }
    KvTransports& owner;
  };

  void on_device_transfer_done(fabric::DeviceTransferId transfer, std::uint64_t slot) override;
  void finish(std::uint32_t slot);

  fabric::DeviceFabric* network_;
  std::vector<KvEnd> ends_;
  serving::PortTransport ports_;
  PortsDone ports_done_;
  engine::SlotTable<Call> calls_;
};

}  // namespace rackwright::run
