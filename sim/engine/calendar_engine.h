#pragma once

#include <memory>
#include <vector>

#include "sim/engine/calendar.h"
#include "sim/engine/engine.h"
#include "sim/engine/link_sharing.h"
#include "sim/engine/slot_table.h"

namespace rackwright::engine {

/// The engine of every run: one calendar in integer time; rates come from a LinkSharing, which is made at the
/// first flow over a link.
///
/// A flow holds its bytes left at the instant of its last change of rate and the event of its end. Only a
/// change of its own rate touches either, so that events which do not concern it leave no trace in its bits.
class CalendarEngine final : public Engine, private EventHandler {
 public:
  using SharingMaker = std::unique_ptr<LinkSharing> (*)();
  explicit CalendarEngine(SharingMaker make_sharing) : make_sharing_(make_sharing) {}

  SimTime now() const override { return now_; }
  EventId at(SimTime when, Phase phase, std::uint32_t entity, EventHandler& handler, std::uint64_t token) override;
  bool cancel(EventId event) override { return calendar_.cancel(event); }

  LinkId add_link(double bandwidth) override;
  void set_bandwidth(LinkId link, double bandwidth) override;
  FlowId start_flow(const FlowRequest& request, std::uint32_t entity, FlowHandler& handler,
                    std::uint64_t token) override;
  bool cancel_flow(FlowId flow) override;
  double flow_rate(FlowId flow) const override;
  double flow_bytes_left(FlowId flow) const override;

  void run() override;
  void stop() override { stopped_ = true; }
  std::uint64_t events_run() const override { return events_run_; }

 private:
  struct Flow {
    std::uint64_t creation = 0;
    FlowHandler* handler = nullptr;
    std::uint64_t token = 0;
    std::uint32_t entity = 0;
    bool shares_links = false;
    double bytes_left = 0;  ///< At `since`.
    SimTime since;
    double rate = 0;  ///< Bytes per second from `since` on.
    bool is_settled = false;
    EventId end;
  };

  void on_event(std::uint64_t slot) override;
  void check(const FlowRequest& request) const;
  void release(std::uint32_t slot);
  double bytes_left(const Flow& flow) const;
  void plan_end(std::uint32_t slot, SimTime when);
  void settle();
  bool take_rate(std::uint32_t slot, double rate);

  SharingMaker make_sharing_;
  Calendar calendar_;
  SimTime now_;
  bool stopped_ = false;
  std::uint64_t events_run_ = 0;
  bool rates_are_stale_ = false;
  std::vector<double> bandwidths_;
  std::unique_ptr<LinkSharing> sharing_;
  SlotTable<Flow> flows_;
  std::vector<LinkSharing::Rate> rates_;  ///< Scratch of `settle`; flows without a link wait here for it.
  std::vector<FlowId> changed_;           ///< Scratch of `settle`.
};

}  // namespace rackwright::engine
