#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sim/fabric/fabric.h"
#include "topologies/routing/device_paths.h"

namespace rackwright::fabric {

using topologies::DeviceTransfer;
using topologies::Reach;

struct DeviceTransferId { std::uint64_t value = 0; };  ///< 0 is no transfer.

class DeviceTransferHandler {
 public:
  virtual ~DeviceTransferHandler() = default;
  virtual void on_device_transfer_done(DeviceTransferId transfer, std::uint64_t token) = 0;
  /// Bytes per second of the whole transfer from now on. Several may come at one instant: the last one holds.
  virtual void on_device_transfer_rate(DeviceTransferId, std::uint64_t, double) {}
  /// Whether it hears of rates at all.
  virtual engine::RateReports reports() const { return engine::RateReports::all; }
};

/// Bytes and capacity of all links of one kind, both directions.
struct LinkClassLoad {
  std::string name;             ///< "scale-up", "host", "nic", "tier 1-2", "torus", "join" …
  double bytes = 0;             ///< Carried so far by transfers that are over.
  double bytes_per_s = 0;       ///< Of all its links together.
};

/// Told what links of each kind carried, a transfer or a part of its way at a time.
class TrafficWatcher {
 public:
  virtual ~TrafficWatcher() = default;
  /// `bytes` over all links of the class together, between two instants. The class is an index into `DeviceFabric::loads()`.
  virtual void on_traffic(std::size_t link_class, double bytes, SimTime from, SimTime to) = 0;
};

/// The network of a hall in use, seen from its devices: what `DevicePaths` says, with the links shared.
///
/// A transfer takes the port of its sender, the links of a path that is chosen when it starts, and the port of its
/// receiver, as one flow for each pair of ends. A scale-up domain blocks nothing inside; ports of different sets that
/// have devices in common do not see each other there.
class DeviceFabric final : private TransferHandler, private CarriedWatcher, private engine::EventHandler, private engine::FlowHandler {
 public:
  /// Engine and paths outlive the fabric.
  DeviceFabric(engine::Engine& engine, const topologies::DevicePaths& paths, const FabricParameters& parameters);
  ~DeviceFabric() override;

  const topologies::DevicePaths& paths() const { return paths_; }
  /// Share of the SMs of `set`'s devices that a transfer takes while it runs, given how many SMs each has.
  double sm_share(const topologies::DeviceSet& set, cost::TransferMechanism mechanism, int sms_of_device) const;

  /// There is a way (`reach` is not none). The handler is called in `Phase::transfer`, once, when all bytes are there.
  DeviceTransferId start(const DeviceTransfer& transfer, std::uint32_t entity, DeviceTransferHandler& handler, std::uint64_t token);
  /// False when it was done or cancelled before.
  bool cancel(DeviceTransferId transfer);
  double rate(DeviceTransferId transfer) const;
  double bytes_left(DeviceTransferId transfer) const;

  /// Called from now on; outlives the fabric.
  void watch(TrafficWatcher& watcher);
  /// By class, in a fixed order; classes without links are left out.
  std::vector<LinkClassLoad> loads() const;
  double bytes_over(Reach reach) const { return bytes_over_[static_cast<std::size_t>(reach)]; }

  /// The flows over the network: what fails and comes back there.
  Fabric& network() { return fabric_; }

 private:
  struct Part;
  struct Transfer;
  struct PortKey {
    topologies::DeviceSet set;
    Reach reach = Reach::none;
    bool outwards = false;
    auto operator<=>(const PortKey&) const = default;
  };

  void on_carried(std::span<const topologies::LinkIndex> links, double bytes, SimTime from, SimTime to) override;
  void on_transfer_done(TransferId transfer, std::uint64_t token) override;
  void on_transfer_rate(TransferId transfer, std::uint64_t token, double rate) override;
  void on_event(std::uint64_t token) override;
  void on_flow_done(engine::FlowId flow, std::uint64_t token) override;
  void on_flow_rate(engine::FlowId flow, std::uint64_t token, double rate) override;

  engine::LinkId port(const PortKey& key);
  double bytes_left_of(const Part& part) const;
  void count_bytes(Reach reach, const Part& part, double bytes);
  void finish_part(std::uint32_t slot);
  void change_rate(std::uint32_t part, double rate);
  void tell_rate(std::uint32_t transfer);

  engine::Engine& engine_;
  const topologies::DevicePaths& paths_;
  Fabric fabric_;
  std::map<PortKey, engine::LinkId> ports_;
  engine::SlotTable<Transfer> transfers_;
  engine::SlotTable<Part> parts_;
  std::array<double, topologies::reach_count> bytes_over_{};
  TrafficWatcher* watcher_ = nullptr;
  std::vector<std::uint32_t> class_of_link_;  ///< Filled for a watcher.
  std::array<std::uint32_t, 2> local_class_{};  ///< Of what has no path in the network: scale-up, host.
  std::vector<double> carried_;               ///< Scratch, by class.
};

}  // namespace rackwright::fabric
