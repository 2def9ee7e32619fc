#pragma once

#include <string>
#include <vector>

#include "models/kernels/serve/serving_engine.h"

namespace rackwright::kernels {

/// One step of the check.
struct ServingCheckRow {
  std::string name;
  double attention_error = 0;  ///< Against a plain recomputation.
  double logit_error = 0;      ///< Of the padded graph against the step without padding.
};

/// Runs some steps of prompts, decodes and both on poisoned states.
/// Throws DeviceError when a result was not written or is off by more than its tolerance.
std::vector<ServingCheckRow> check_serving(ServingEngine& engine, std::uint64_t seed);

}  // namespace rackwright::kernels
