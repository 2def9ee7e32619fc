#pragma once

#include <cstdint>

#include "models/base/time.h"

namespace rackwright::serving {

class StepTrafficHandler {
 public:
  virtual ~StepTrafficHandler() = default;
  /// All that a step sends is there, `late` after it would have been with nothing else on the way. In `Phase::transfer`.
  virtual void on_step_traffic_done(SimTime late) = 0;
};

/// What the steps of instances send over links that others use: exchanges with experts on several nodes, activations
/// between both sides of the layers. The cost of a step holds the time that this takes undisturbed; here it meets other
/// traffic. One flow for each step and pair of ends: where in the step its parts are sent is not modelled.
class StepTraffic {
 public:
  virtual ~StepTraffic() = default;
  /// Whether steps of this instance send anything that can meet something else. Those of others are never asked for again.
  virtual bool carries(std::uint32_t instance) const = 0;
  /// A step begins that computes this many tokens. The handler is called once, and the next step begins after that; false
  /// when the step sends nothing.
  virtual bool begin(std::uint32_t instance, std::int64_t tokens, StepTrafficHandler& handler) = 0;
};

}  // namespace rackwright::serving
