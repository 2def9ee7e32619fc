#pragma once

#include <stop_token>
#include <thread>

namespace rackwright::cli {

/// Turns the first SIGINT or SIGTERM into a stop request, so that a run ends at its next event and keeps
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

  std::stop_token token() const { return stop_.get_token(); }

 private:
  void watch();

  std::stop_source stop_;
  std::thread thread_;
};

}  // namespace rackwright::cli
