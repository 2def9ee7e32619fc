#pragma once

#include <vector>

#include "models/kernels/serve/run_clock.h"
#include "models/kernels/serve/serving_engine.h"

namespace rackwright::kernels {

/// One step of a run. Times in seconds since the first arrival's clock began.
struct ServedStep {
  double start_s = 0;     ///< When the host began to plan it.
  double duration_s = 0;  ///< Until the host had its result.
  double busy_s = 0;      ///< From its first to its last kernel, on the device's timer.
  double gap_s = -1;      ///< From the last kernel before it to its first; negative after a time without work.
  double exposed_s = -1;  ///< From its last kernel until the prompts' keys and values had reached the other side; negative where there is none.
  int decodes = 0;
  int prompt_tokens = 0;
  int prompts = 0;
  long context_tokens = 0;
  int longest_context = 0;
};

struct ServedRun {
  std::vector<ServedTimes> times;
  std::vector<ServedStep> steps;
  double duration_s = 0;  ///< Until the last request was finished.
  double energy_j = 0;    ///< Of the board over that time.
  double driver_mhz = 0;  ///< Mean of what the driver reports ten times a second.
  double sm_mhz = 0;      ///< Cycles over time as the SMs count them.
  int temperature_c = 0;
  double warm_up_w = 0;   ///< What `warm_up` before it drew: tells cards apart.
};

/// What goes on beside the steps of a run.
class RunHooks {
 public:
  virtual ~RunHooks() = default;
  /// A step is about to be planned.
  virtual void planning() {}
  /// It was launched and runs.
  virtual void launched(const StepPlan&) {}
  /// The host has its result; `step` may be completed. The next step waits for the return.
  virtual void ended(const StepPlan&, ServedStep&) {}
};

/// Steps of 24 sequences of 1,024 tokens without rest. Returns the watts that the board drew over the second half of them.
double warm_up(ServingEngine& engine, const Nvml& nvml, double seconds);

/// Serves the scheduler's requests at their arrivals by `clock`.
ServedRun serve(ServingEngine& engine, ProfileSession& session, BatchScheduler& scheduler, const RunClock& clock, RunHooks& hooks);

}  // namespace rackwright::kernels
