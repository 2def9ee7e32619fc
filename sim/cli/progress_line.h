#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>

#include "models/base/time.h"
#include "sim/cli/console.h"

namespace rackwright::cli {

/// How far a run has come.
struct Progress {
  SimTime now;
  std::int64_t requests_done = 0;
  std::optional<std::int64_t> requests_total;  ///< Where it is known beforehand.
  std::optional<SimTime> last_arrival;         ///< Of the workload, where it is known beforehand.

  /// In [0, 1], by requests or else by time; nothing when neither total is known.
  std::optional<double> fraction() const;
};

/// Shows progress on stderr: one line that is redrawn on a terminal, a line every few seconds elsewhere,
/// or a JSON object a line for programs. It reads the host's clock to pace itself and to guess the time
/// left, and nothing of that reaches a result.
class ProgressLine {
 public:
  ProgressLine(Console& console);
  /// Erases the line of a terminal.
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Call as often as convenient.
  void update(const Progress& progress);

 private:
  using Clock = std::chrono::steady_clock;

  std::string text(const Progress& progress, double elapsed_s) const;
  std::string json(const Progress& progress, double elapsed_s) const;

  std::ostream& err_;
  const ProgressMode mode_;
  const bool redraws_;
  const Clock::time_point began_;
  Clock::time_point next_;
  bool drawn_ = false;
};

}  // namespace rackwright::cli
