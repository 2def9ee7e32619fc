#include "sim/serving/clock_governor.h"

#include <algorithm>

namespace rackwright::serving {

ClockGovernor::ClockGovernor(const power::ClockControl& control, engine::Engine& engine, std::uint32_t entity, GovernedClock& clock)
    : control_(control), engine_(engine), entity_(entity), clock_(clock), until_(SimTime::max()), power_mw_(control.idle_mw) {}

ClockGovernor::Energy ClockGovernor::energy_at(SimTime when) const {
  const SimTime end = std::min(when, until_);
  return energy_ + static_cast<Energy>(power_mw_) * (end - since_).ps + static_cast<Energy>(control_.idle_mw) * (when - end).ps;
}

SimTime ClockGovernor::period_before(SimTime when) const {
  return {std::max<std::int64_t>(when.ps - 1, 0) / control_.period.ps * control_.period.ps};
}

void ClockGovernor::draws(std::int64_t power_mw, SimTime from, SimTime until) {
  // What a look at the end of this period needs to know of its beginning.
  const SimTime start = period_before(from);
  if (start >= since_) period_energy_ = energy_at(start);
  energy_ = energy_at(from);
  since_ = from;
  until_ = until;
  power_mw_ = power_mw;
  if (power_mw > control_.limit_mw) watch();
}

void ClockGovernor::watch() {
  if (is_watching_) return;
  is_watching_ = true;
  const SimTime end = period_before(engine_.now() + SimTime{1}) + control_.period;
  engine_.at(end, engine::Phase::control, entity_, *this, 0);
}

void ClockGovernor::on_event(std::uint64_t) {
  is_watching_ = false;
  const SimTime now = engine_.now();
  const SimTime start = now - control_.period;
  const Energy before = start >= since_ ? energy_at(start) : period_energy_;
  const double mean_mw = static_cast<double>(energy_at(now) - before) / static_cast<double>(control_.period.ps);
  const double next = power::next_clock(control_, sm_clock_, mean_mw);
  if (next != sm_clock_) {
    sm_clock_ = next;
    clock_.set_sm_clock(next);
  }
  if (sm_clock_ < 1 || (power_mw_ > control_.limit_mw && until_ > now)) watch();
}

}  // namespace rackwright::serving
