#pragma once

#include <string>
#include <vector>

#include "tests/differential/served_figures.h"

namespace rackwright::test {

/// One list of requests whose prompts and tokens an H200 served apart (split.csv), beside its simulation.
struct SplitRunCheck {
  std::string run;            ///< "chat_08".
  double requests_per_s = 0;  ///< That arrived.
  double prompts_busy = 0;    ///< Share of the run in which the side of the prompts computed.
  std::vector<ValidationFigure> figures;
  ServedSteps prompts;        ///< Steps of that side.
  ServedSteps tokens;
  double exposed_p99_us = 0;  ///< Measured: from a prompt step's last kernel until its keys and values had landed.
  double simulated_exposed_us = 0;  ///< Mean.
};

/// Every run of the committed split.csv, simulated by scenarios/library/validation/h200_8b_served_apart.yaml with its list of requests.
std::vector<SplitRunCheck> split_runs();

/// A section of docs/validation.md.
std::string split_runs_page();

}  // namespace rackwright::test
