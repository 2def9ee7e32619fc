#pragma once

#include <cstdint>
#include <vector>

#include "models/base/time.h"

namespace rackwright::results {

struct PoolSample {
  std::int64_t batch = 0;  ///< Sequences in the steps under way.
  std::int64_t waiting = 0;
  double kv_fraction = 0;
};

/// What could be seen from outside at one instant, for charts while a run goes on. The timeline, which
/// is exact, comes when the run has ended.
struct LiveSample {
  SimTime at;
  std::int64_t requests_done = 0;
  std::int64_t output_tokens = 0;  ///< Of the requests done.
  double it_power_w = 0;  ///< 0 where it is not known.
  std::vector<PoolSample> pools;
};

}  // namespace rackwright::results
