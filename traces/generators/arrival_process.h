#pragma once

#include <memory>

#include "models/base/random.h"
#include "models/base/time.h"
#include "traces/generators/generator.h"

namespace rackwright::traces {

/// Draws arrivals, one after the other.
class ArrivalProcess {
 public:
  ArrivalProcess(const ArrivalSpec& arrivals, const RateProfile& profile, RandomStream draws);
  ~ArrivalProcess();
  ArrivalProcess(const ArrivalProcess&) = delete;
  ArrivalProcess& operator=(const ArrivalProcess&) = delete;

  /// Never before the last one; SimTime::max() once simulated time is over.
  SimTime next();

 private:
  class Gaps;
  class Renewal;
  class OnOff;
  class Warp;

  RandomStream draws_;
  std::unique_ptr<Gaps> gaps_;
  std::unique_ptr<Warp> warp_;  ///< Null for a steady load.
  SimTime now_;
};

}  // namespace rackwright::traces
