#pragma once

#include <atomic>
#include <thread>

namespace rackwright::cli {

/// Turns the first SIGINT or SIGTERM into a flag, so that a run ends at its next event and keeps
/// what it has; the second ends the process at once, as without a watcher.
///
/// The signals are blocked in the thread that makes a watcher (and in those that it starts later) and
/// waited for in a thread of the watcher: no handler, no global.
class InterruptWatcher {
 public:
  InterruptWatcher();
  ~InterruptWatcher();
  InterruptWatcher(const InterruptWatcher&) = delete;
  InterruptWatcher& operator=(const InterruptWatcher&) = delete;

  /// Set by the first signal; for run::SimulationLimits::cancelled.
  const std::atomic<bool>& interrupted() const { return interrupted_; }

 private:
  void watch();

  std::atomic<bool> interrupted_ = false;
  std::thread thread_;
};

}  // namespace rackwright::cli
