#pragma once

#include <compare>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "sim/engine/calendar.h"
#include "sim/engine/engine.h"
#include "sim/engine/link_sharing.h"
#include "sim/engine/slot_table.h"

namespace rackwright::engine {

/// The engine of every run: one calendar in integer time; rates come from a LinkSharing, which is made at the
/// first flow over a link.
///
/// Flows over the same links with the same cap always have the same rate. They are one bundle: one to the sharing, with one
/// event for the first of them to end, so that thousands of transfers between the same ends cost no more than a few. What
/// each member of a bundle was sent since the bundle began is one number, and a member ends when it reaches its own mark.
/// Only a change of its own rate touches a bundle, so that events which do not concern it leave no trace in its bits.
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
    std::uint32_t bundle = 0;
    bool needs_no_time = false;
    bool is_settled = false;
    RateReports reports = RateReports::all;
    long double mark = 0;  ///< Bytes served to its bundle's members at which its own are there.
    EventId end;           ///< Of a flow that needs no time.
  };
  /// In the order in which members end.
  struct Member {
    long double mark = 0;
    std::uint32_t entity = 0;
    std::uint64_t creation = 0;
    std::uint32_t slot = 0;
    auto operator<=>(const Member&) const = default;
  };
  struct Bundle {
    std::vector<LinkId> path;  ///< Empty: one flow that meets no other.
    double rate_cap = 0;
    std::set<Member> members;
    std::vector<std::uint32_t> newcomers;  ///< Flows that started since rates were settled.
    std::size_t followers = 0;             ///< Members whose handlers hear of rates.
    long double served = 0;    ///< To each member that was there from the start, until `since`.
    SimTime since;
    double rate = 0;           ///< Of each member, from `since` on.
    bool is_settled = false;
    bool is_touched = false;   ///< Its members differ from when rates were settled.
    EventId end;               ///< Of the first member.
  };
  using BundleKey = std::pair<std::vector<std::uint32_t>, double>;

  void on_event(std::uint64_t slot) override;
  void check(const FlowRequest& request) const;
  std::uint32_t join_bundle(const FlowRequest& request);
  void touch(std::uint32_t bundle);
  void release(std::uint32_t slot);
  void leave_bundle(std::uint32_t slot);
  Member member(std::uint32_t slot) const;
  long double served_now(const Bundle& bundle) const;
  double bytes_left(const Flow& flow) const;
  void plan_end(Bundle& bundle);
  void settle();
  void take_rate(std::uint32_t bundle, double rate);

  SharingMaker make_sharing_;
  Calendar calendar_;
  SimTime now_;
  bool stopped_ = false;
  std::uint64_t events_run_ = 0;
  bool rates_are_stale_ = false;
  std::vector<double> bandwidths_;
  std::unique_ptr<LinkSharing> sharing_;
  SlotTable<Flow> flows_;
  SlotTable<Bundle> bundles_;
  std::map<BundleKey, std::uint32_t> bundle_over_;
  std::vector<std::uint64_t> touched_;     ///< Bundles.
  std::vector<LinkSharing::Rate> rates_;   ///< Scratch of `settle`.
  std::vector<FlowId> told_;               ///< Scratch of `settle`.
};

}  // namespace rackwright::engine
