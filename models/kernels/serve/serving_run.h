#pragma once

#include <vector>

#include "models/kernels/serve/serving_engine.h"

namespace rackwright::kernels {

/// One step of a run. Times in seconds since the first arrival's clock began.
struct ServedStep {
  double start_s = 0;     ///< When the host began to plan it.
  double duration_s = 0;  ///< Until the host had its result.
  double busy_s = 0;      ///< From its first to its last kernel, on the device's timer.
  double gap_s = -1;      ///< From the last kernel before it to its first; negative after a time without work.
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
};

/// Serves the requests at their arrivals, after `warm_up_s` of decode steps.
ServedRun serve(ServingEngine& engine, ProfileSession& session, const std::vector<ServedRequest>& requests, double warm_up_s);

}  // namespace rackwright::kernels
