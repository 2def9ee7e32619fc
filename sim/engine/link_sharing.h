#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sim/engine/engine.h"

namespace rackwright::engine {

/// Who gets how much of the links: max-min fair rates of a changing set of flows. No time passes in here.
///
/// Flows are named by small numbers that the caller chooses and may use again after `end`.
class LinkSharing {
 public:
  struct Rate {
    std::uint32_t flow = 0;
    double bytes_per_second = 0;
  };

  virtual ~LinkSharing() = default;

  /// Links are numbered from 0 in the order they are added.
  virtual void add_link(double bandwidth) = 0;
  virtual void set_bandwidth(LinkId link, double bandwidth) = 0;
  /// `path` has at least one link; `rate_cap` 0 means none.
  virtual void start(std::uint32_t flow, std::span<const LinkId> path, double rate_cap) = 0;
  /// From now on it stands for this many equal flows, at least one; the cap and the rate are of each.
  virtual void resize(std::uint32_t flow, std::uint32_t count) = 0;
  virtual void end(std::uint32_t flow) = 0;

  /// Shares the links anew and appends the flows whose rate differs from the one given last, in any order.
  virtual void settle(std::vector<Rate>& changes) = 0;
};

/// The sharing that SimGrid carries. SimGrid is loaded here, at the first flow of a process, and not when the
/// process starts: that takes 20 ms, most of it for the libraries it pulls in. Throws EnvironmentError when it
/// cannot be loaded.
std::unique_ptr<LinkSharing> load_simgrid_sharing();

}  // namespace rackwright::engine
