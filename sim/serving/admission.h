#pragma once

#include "models/base/time.h"
#include "sim/serving/decode_forecast.h"
#include "sim/serving/sequence.h"

namespace rackwright::serving {

class Instance;

/// Whether a request whose first token is estimated to miss its class's deadline is turned away.
enum class DeadlineRule { ignore, estimate };

/// Whom an instance turns away although it could serve them.
struct Admission {
  int max_waiting = 0;  ///< Requests queued, beyond which others are turned away; 0 means no limit.
  DeadlineRule deadline = DeadlineRule::ignore;
  DecodeLoad decode_load = DecodeLoad::ignore;  ///< Of prompts that decode elsewhere.

  /// Called in `Phase::arrival` or before.
  bool admits(Instance& instance, const Sequence& sequence) const;
};

}  // namespace rackwright::serving
