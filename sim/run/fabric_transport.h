#pragma once

#include <cstdint>
#include <vector>

#include "sim/engine/slot_table.h"
#include "sim/fabric/device_fabric.h"
#include "sim/serving/kv_transport.h"

namespace rackwright::run {

/// Carries KV between instances over the network of the hall, where it shares links with everything else.
class FabricTransport final : public serving::KvTransport, private fabric::DeviceTransferHandler {
 public:
  /// `devices` of every instance of the run. The network outlives the transport, and connects whoever sends to each other.
  FabricTransport(fabric::DeviceFabric& network, std::vector<topologies::DeviceSet> devices)
      : network_(network), devices_(std::move(devices)) {}

  std::uint64_t start(const serving::KvTransfer& transfer, serving::KvTransferHandler& handler, std::uint64_t token) override;
  double stop(std::uint64_t transfer) override;

 private:
  struct Call {
    serving::KvTransferHandler* handler = nullptr;
    std::uint64_t token = 0;
    fabric::DeviceTransferId over;
  };
  void on_device_transfer_done(fabric::DeviceTransferId transfer, std::uint64_t call) override;

  fabric::DeviceFabric& network_;
  std::vector<topologies::DeviceSet> devices_;
  engine::SlotTable<Call> calls_;
};

}  // namespace rackwright::run
