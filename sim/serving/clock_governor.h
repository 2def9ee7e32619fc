#pragma once

#include <cstdint>

#include "models/base/time.h"
#include "models/power/clock_control.h"
#include "sim/engine/engine.h"

namespace rackwright::serving {

/// Whose clock a governor sets.
class GovernedClock {
 public:
  virtual ~GovernedClock() = default;
  /// Called in `Phase::control`.
  virtual void set_sm_clock(double clock) = 0;
};

/// Holds the mean power of one instance's devices within their limit (power::ClockControl). It is told the power whenever
/// that changes and integrates it in whole milliwatts times picoseconds, so that what it sees does not depend on how many
/// steps an event stands for. It looks only at the end of periods in which power passed the limit, or the clock was lowered:
/// the mean cannot pass the limit in others, and a run far from it has no event more.
class ClockGovernor final : public engine::EventHandler {
 public:
  /// `entity` orders its events among others at one instant.
  ClockGovernor(const power::ClockControl& control, engine::Engine& engine, std::uint32_t entity, GovernedClock& clock);

  /// From now on.
  void draws(std::int64_t power_mw) { draws(power_mw, engine_.now(), SimTime::max()); }
  /// From `from` on, which is not before the last change, until `until`, after which the devices are idle. What passes the limit
  /// is told of at once.
  void draws(std::int64_t power_mw, SimTime from, SimTime until);
  /// Whether it looks at nothing while the power stays at or below this.
  bool rests_below(std::int64_t power_mw) const { return !is_watching_ && power_mw <= control_.limit_mw; }

  void on_event(std::uint64_t token) override;

 private:
  __extension__ using Energy = __int128;  ///< Milliwatts times picoseconds.

  Energy energy_at(SimTime when) const;
  /// The last multiple of the period before `when`.
  SimTime period_before(SimTime when) const;
  void watch();

  const power::ClockControl& control_;
  engine::Engine& engine_;
  std::uint32_t entity_;
  GovernedClock& clock_;

  SimTime since_;            ///< Of the present power.
  SimTime until_;
  std::int64_t power_mw_;
  Energy energy_ = 0;        ///< Until `since_`.
  Energy period_energy_ = 0; ///< Until the begin of the period in which the power changed last.
  double sm_clock_ = 1;
  bool is_watching_ = false;
};

}  // namespace rackwright::serving
