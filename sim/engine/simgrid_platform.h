#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace simgrid::s4u {
class Comm;
class Engine;
class Host;
class Link;
}  // namespace simgrid::s4u
namespace simgrid::kernel::resource {
class Action;
class Model;
}  // namespace simgrid::kernel::resource

namespace rackwright::engine {

class PathZone;

/// One communication in flight, over links that we chose.
class SimGridTransfer {
 public:
  SimGridTransfer(simgrid::s4u::Comm& comm, simgrid::kernel::resource::Action& action);
  ~SimGridTransfer();
  SimGridTransfer(const SimGridTransfer&) = delete;
  SimGridTransfer& operator=(const SimGridTransfer&) = delete;

  /// Bytes per second, as last solved.
  double rate() const;
  /// Counts as this many communications, each with this cap (0 means none).
  void set_count(std::uint32_t count, double rate_cap);
  /// Takes it out of the sharing; it must outlive the next `SimGridPlatform::bury`.
  void cancel();

 private:
  simgrid::s4u::Comm& comm_;
  simgrid::kernel::resource::Action& action_;
};

/// SimGrid as it is used here, written against 3.32: its network model with max-min sharing and nothing else.
///
/// Pinned: CM02 (no corrective factors), no cross-traffic, no TCP window, no latency. What SimGrid would do
/// besides, and what is done about it:
/// - A route is looked up between two hosts. Here a zone of our own answers with the links of the flow that is
///   being started, so two hosts are enough for any topology and nothing is stored per pair.
/// - A direct communication ignores `Comm::set_rate`, and is bounded for life by the bandwidth its links had when
///   it started. Both are one number of its Action, which is set here to the cap or to none.
/// - SimGrid allows one engine per process, for the life of the process: hence `instance`, and hence links that
///   hang in a zone per user instead of in the platform, which takes no more of them once it has run.
class SimGridPlatform {
 public:
  static SimGridPlatform& instance();

  /// `path` is not empty; `rate_cap` 0 means none.
  std::unique_ptr<SimGridTransfer> start_transfer(const std::vector<simgrid::s4u::Link*>& path, double rate_cap);
  void set_bandwidth(simgrid::s4u::Link& link, double bandwidth);
  /// Shares the links among all transfers.
  void solve();
  /// Lets SimGrid forget the cancelled transfers.
  void bury();

 private:
  friend class SimGridLinkShelf;
  SimGridPlatform();
  SimGridPlatform(const SimGridPlatform&) = delete;

  simgrid::s4u::Engine* engine_;  ///< SimGrid frees it at the end of the process.
  PathZone* zone_;                ///< Owned by SimGrid.
  simgrid::s4u::Host* source_ = nullptr;
  simgrid::s4u::Host* destination_ = nullptr;
  simgrid::kernel::resource::Model* network_ = nullptr;
  std::uint64_t shelves_ = 0;
};

/// Links of one user of the platform; they go with it.
class SimGridLinkShelf {
 public:
  explicit SimGridLinkShelf(SimGridPlatform& platform);
  ~SimGridLinkShelf();

  simgrid::s4u::Link* make_link(std::uint32_t number, double bandwidth);

 private:
  std::string name_;
  std::unique_ptr<PathZone> zone_;
};

}  // namespace rackwright::engine
