#pragma once

#include <memory>
#include <span>
#include <vector>

#include "sim/engine/link_sharing.h"
#include "sim/engine/simgrid_platform.h"

namespace rackwright::engine {

/// Max-min sharing by SimGrid's network model CM02: one SimGrid link per link that a flow has used, one
/// SimGrid communication per flow in flight.
///
/// SimGrid's clock stands still at 0 and its communications never end by themselves: the calendar knows when the
/// bytes are there, to the picosecond, where SimGrid's clock is a double (0.1 ns coarse after a week) and flows
/// end together that would end within 1 ns. Starts, ends and changes are collected and handed over in `settle`,
/// ends first, so that SimGrid solves the system once.
class SimGridSharing final : public LinkSharing {
 public:
  SimGridSharing();
  ~SimGridSharing() override;

  void add_link(double bandwidth) override;
  void set_bandwidth(LinkId link, double bandwidth) override;
  void start(std::uint32_t flow, std::span<const LinkId> path, double rate_cap) override;
  void resize(std::uint32_t flow, std::uint32_t count) override;
  void end(std::uint32_t flow) override;
  void settle(std::vector<Rate>& changes) override;

 private:
  struct Link {
    double bandwidth = 0;
    simgrid::s4u::Link* link = nullptr;  ///< Null until a flow uses it.
    bool is_new_bandwidth = false;
  };
  struct Flow {
    std::vector<LinkId> path;  ///< Empty when the number is not in use.
    double rate_cap = 0;
    std::uint32_t count = 1;  ///< Equal flows that it stands for.
    std::unique_ptr<SimGridTransfer> transfer;  ///< Null before its start and over a link that is down.
    double rate = -1;  ///< As given last; -1 when none was.
    std::size_t position = 0;  ///< In `active_`.
  };

  bool is_up(const Flow& flow) const;
  void withdraw(Flow& flow);
  void end_transfers();
  void change_bandwidths();
  void start_transfers();

  SimGridPlatform& platform_;
  SimGridLinkShelf shelf_;
  std::vector<Link> links_;
  std::vector<Flow> flows_;
  std::vector<std::uint32_t> active_;  ///< Numbers in use.
  std::vector<std::uint32_t> to_start_;
  std::vector<LinkId> new_bandwidths_;
  std::vector<std::unique_ptr<SimGridTransfer>> ending_;
  std::vector<simgrid::s4u::Link*> path_;  ///< Scratch.
};

}  // namespace rackwright::engine
