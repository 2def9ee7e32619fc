#pragma once

#include <optional>
#include <string>

#include "models/llm/model_shape.h"

namespace rackwright::scenarios {

/// Speculative decoding in a pool.
struct SpeculationSpec {
  enum class Mode { serial, parallel };

  int tokens = 4;           ///< Proposed in a cycle.
  double acceptance = 0;    ///< Mean over requests.
  std::optional<double> concentration;     ///< Of the beta distribution of requests; absent: all alike.
  std::optional<llm::ModelShape> draft;    ///< On the pool's own devices: a smaller model, or the module of the model itself.
  std::string draft_pool;                  ///< The pool that drafts instead; "" for none.
  Mode mode = Mode::serial;
  double bytes_per_token = 4;              ///< Sent of each drafted token, one way.
  std::optional<double> bytes_per_s;       ///< Absent: over the network of the hall.
  double latency_s = 0;
};

}  // namespace rackwright::scenarios
