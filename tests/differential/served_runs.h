#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tests/differential/served_figures.h"

namespace rackwright::test {

/// One list of requests that an H200 served (serve.csv), beside its simulation.
struct ServedRunCheck {
  std::string run;               ///< "chat_08".
  double requests_per_s = 0;     ///< That arrived.
  double share_of_capacity = 0;  ///< Of what the device finishes where more arrives than it can serve.
  std::vector<ValidationFigure> figures;
  ServedSteps decodes;           ///< Without a prompt token.
  ServedSteps mixed;             ///< With.
  /// TTFT mean in milliseconds with every step 2 % shorter and 2 % longer; only above 80 % of capacity.
  struct Span {
    double shorter_ms = 0;
    double longer_ms = 0;
  };
  std::optional<Span> ttft_of_2_percent;
};

/// Every run of the committed serve.csv, simulated by scenarios/library/validation/h200_8b_served.yaml with its list of requests.
std::vector<ServedRunCheck> served_runs();

/// A section of docs/validation.md.
std::string served_runs_page();

}  // namespace rackwright::test
