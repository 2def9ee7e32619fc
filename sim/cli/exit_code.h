#pragma once

namespace rackwright::cli {

/// What the program's exit says. Scripts rely on these numbers.
enum class ExitCode : int {
  ok = 0,
  gate_failed = 1,   ///< It ran, but a requested gate failed: an SLO, a limit, `check --strict`.
  bad_input = 2,     ///< Bad usage, bad input, or an infeasible scenario.
  environment = 3,   ///< Files, disk, memory.
  cancelled = 4,     ///< By a signal; the partial run folder is kept.
  stalled = 5,       ///< Stopped by the watchdog; the partial run folder is kept.
  bug = 70,          ///< Ours.
};

}  // namespace rackwright::cli
