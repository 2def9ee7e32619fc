#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/kernels/serve/serving_engine.h"

namespace rackwright::kernels {

/// One relative error that was looked at. It passes in [least, most]. A control has a positive `least` and no `most`: two things are
/// compared that should differ, as a mistake would make them.
struct ServingCheckRow {
  std::string name;
  double error = 0;
  double least = 0;
  std::optional<double> most;
};

/// On poisoned states:
/// - attention of sampled rows and heads against a plain recomputation: a wrong page, length or row of queries;
/// - logits of the padded graph against the step without padding, and control: against those of the row beside it;
/// - keys and values that a sequence leaves in its slot when its prompt comes whole, and when it comes in two parts beside decodes and then token
///   by token, each token by itself: a wrong slot, position or token. Control: against those of the token beside it.
/// Throws DeviceError at the first that does not pass.
std::vector<ServingCheckRow> check_serving(ServingEngine& engine, std::uint64_t seed);

}  // namespace rackwright::kernels
