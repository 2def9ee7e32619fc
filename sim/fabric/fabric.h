#pragma once

#include <optional>
#include <span>
#include <vector>

#include "sim/engine/engine.h"
#include "sim/engine/slot_table.h"
#include "sim/fabric/transfer.h"
#include "topologies/routing/router.h"

namespace rackwright::fabric {

struct FabricParameters {
  topologies::RoutingParameters routing;
  SimTime reroute_delay;  ///< From a failure until the transfers over it take another path.
};

/// A topology in use: transfers take a path when they start, pay its latency, and share its links as flows.
///
/// Every direction of every cable is one link of the engine. When something fails, the transfers over it stand
/// still for the re-routing delay, then go on with what is left over another path (its latency is not paid
/// again); those without a path wait until something comes back. Not modelled: packets and what becomes of
/// those under way at a failure.
class Fabric final : private engine::EventHandler, private engine::FlowHandler, private topologies::LinkLoads {
 public:
  /// Engine and topology outlive the fabric.
  Fabric(engine::Engine& engine, const topologies::Topology& topology, const FabricParameters& parameters);
  Fabric(const Fabric&) = delete;
  Fabric& operator=(const Fabric&) = delete;

  TransferId start(const TransferRequest& request, std::uint32_t entity, TransferHandler& handler, std::uint64_t token);
  /// False when `on_transfer_done` was called or the transfer was cancelled before.
  bool cancel(TransferId transfer);
  /// 0 for a transfer that is over, waits or has not left yet.
  double rate(TransferId transfer) const;
  double bytes_left(TransferId transfer) const;
  /// The path taken now; empty for a transfer that is over, waits, or goes from a vertex to itself.
  std::span<const topologies::LinkIndex> path(TransferId transfer) const;

  /// A cable, everything at a vertex, or a whole failure domain goes down or comes back; causes add up.
  void fail(topologies::LinkIndex cable);
  void fail(topologies::VertexIndex vertex);
  void fail(topologies::DomainIndex domain);
  void restore(topologies::LinkIndex cable);
  void restore(topologies::VertexIndex vertex);
  void restore(topologies::DomainIndex domain);

  /// Called from now on; outlives the fabric.
  void watch(CarriedWatcher& watcher) { watcher_ = &watcher; }
  /// Bytes that transfers moved over this link before they ended, were cancelled or left it for another path.
  double carried_bytes(topologies::LinkIndex link) const { return carried_bytes_[link.value]; }

 private:
  struct Transfer {
    TransferRequest request;
    std::uint32_t entity = 0;
    TransferHandler* handler = nullptr;
    std::uint64_t token = 0;
    double bytes_left = 0;  ///< When the present flow started, or will.
    SimTime flow_since;
    bool has_path = false;
    bool has_paid_latency = false;
    std::optional<double> told_rate;
    topologies::Route route;
    engine::FlowId flow;    ///< None while it waits, pays its latency or is being re-routed.
    engine::EventId event;  ///< The end of the latency or of the re-routing delay.
  };

  void on_event(std::uint64_t slot) override;
  void on_flow_done(engine::FlowId flow, std::uint64_t slot) override;
  void on_flow_rate(engine::FlowId flow, std::uint64_t slot, double rate) override;
  double load(topologies::LinkIndex link) const override;

  bool is_up(const Transfer& transfer) const;
  void take_path(std::uint32_t slot);
  void leave_path(std::uint32_t slot);
  void start_flow(std::uint32_t slot);
  void count_bytes(const Transfer& transfer, double bytes);
  void tell_rate(std::uint32_t slot, double rate);
  void update_links();
  void leave_failed_paths();
  void retry_waiting();

  engine::Engine& engine_;
  CarriedWatcher* watcher_ = nullptr;
  const topologies::Topology& topology_;
  SimTime reroute_delay_;
  topologies::Router router_;
  std::vector<engine::LinkId> link_ids_;     ///< By link of the topology.
  std::vector<bool> is_usable_;              ///< By link, as the engine knows it.
  std::vector<std::uint32_t> transfers_on_;  ///< By link.
  std::vector<double> carried_bytes_;        ///< By link.
  engine::SlotTable<Transfer> transfers_;
  std::vector<engine::LinkId> path_;         ///< Scratch.
};

}  // namespace rackwright::fabric
