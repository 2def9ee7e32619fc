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

namespace rackwright::serving {
class ServingSystem;
}

namespace rackwright::run {

/// Where an instance's devices are, and how KV comes to it.
struct KvEnd {
  topologies::DeviceSet devices;
  std::optional<cost::TransferMechanism> mechanism;  ///< Of what it receives; absent: what the way takes.
  double port_bytes_per_s = 0;  ///< A bandwidth that the scenario states, for what it sends and receives; 0: the network's.
  int sms = 0;                  ///< Of each of its devices; 0: not known.
};

/// Carries KV over the network of the hall, and over ports of their own where a scenario states a bandwidth.
///
/// Mechanisms whose threads move the bytes take multiprocessors of the sender from its compute while any of its transfers
/// runs: the same ones serve all of them.
class KvTransports final : public serving::KvTransport, private fabric::DeviceTransferHandler, private engine::EventHandler {
 public:
  /// `ends` by instance. `network` may be null when all that receive have stated ports.
  KvTransports(engine::Engine& engine, fabric::DeviceFabric* network, std::vector<KvEnd> ends);

  /// Whose instances send; to be called before time passes. Outlives the transports' last transfer.
  void slow_compute_of(serving::ServingSystem& system) { system_ = &system; }

  std::uint64_t start(const serving::KvTransfer& transfer, serving::KvTransferHandler& handler, std::uint64_t token) override;
  double stop(std::uint64_t transfer) override;

 private:
  /// One transfer: over the network, or over ports.
  struct Call {
    serving::KvTransferHandler* handler = nullptr;
    std::uint64_t token = 0;
    fabric::DeviceTransferId over_network;
    std::uint64_t over_ports = 0;
    std::uint32_t from = 0;
    double sm_share = 0;  ///< Of the sender's, that it takes.
  };
  /// What an instance's transfers take of its multiprocessors.
  struct Sending {
    int transfers = 0;
    double sm_share = 0;
    bool is_planned = false;  ///< A change is to be told at this instant.
  };
  /// Ports report to the handler by themselves, through this, so that a call is closed when it is done.
  struct PortsDone final : serving::KvTransferHandler {
    explicit PortsDone(KvTransports& to) : owner(to) {}
    void on_kv_there(std::uint64_t slot) override { owner.finish(static_cast<std::uint32_t>(slot)); }
    KvTransports& owner;
  };

  void on_device_transfer_done(fabric::DeviceTransferId transfer, std::uint64_t slot) override;
  engine::RateReports reports() const override { return engine::RateReports::none; }
  void on_event(std::uint64_t instance) override;
  void finish(std::uint32_t slot);
  void begin_taking(const Call& call);
  void stop_taking(const Call& call);
  void tell_soon(std::uint32_t instance);

  engine::Engine& engine_;
  fabric::DeviceFabric* network_;
  serving::ServingSystem* system_ = nullptr;
  std::vector<KvEnd> ends_;
  serving::PortTransport ports_;
  PortsDone ports_done_;
  engine::SlotTable<Call> calls_;
  std::vector<Sending> sending_;  ///< By instance.
};

}  // namespace rackwright::run
