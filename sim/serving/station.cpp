#include "sim/serving/station.h"

#include <algorithm>
#include <utility>

#include "models/base/invariant.h"
#include "models/base/saturating.h"

namespace rackwright::serving {

Station::Station(engine::Engine& engine, const StationSpec& spec, std::uint32_t index, std::uint32_t first_device, std::uint32_t entity,
                 metrics::RunObserver& observer)
    : engine_(engine), spec_(spec), index_(index), first_device_(first_device), entity_(entity), observer_(observer),
      devices_(static_cast<std::size_t>(spec.devices), Device{spec.workers, 0, 0, {}}) {}

void Station::submit(const Job& job) {
  invariant(job.workers >= 1 && job.workers <= spec_.workers && job.memory_bytes <= spec_.memory_bytes, "a job fits an empty device");
  waiting_.push_back({job, engine_.now(), {}, 0});
  start_waiting();
}

void Station::start_waiting() {
  while (!waiting_.empty() && start(waiting_.front())) waiting_.pop_front();
}

bool Station::start(const Run& run) {
  std::uint32_t chosen = 0;
  for (std::uint32_t i = 1; i < devices_.size(); ++i)
    if (devices_[i].free_workers > devices_[chosen].free_workers) chosen = i;
  const auto has_room = [&](const Device& device) {
    return device.free_workers >= run.job.workers && device.memory_bytes + run.job.memory_bytes <= spec_.memory_bytes;
  };
  if (!has_room(devices_[chosen])) {
    const auto other = std::ranges::find_if(devices_, has_room);
    if (other == devices_.end()) return false;
    chosen = static_cast<std::uint32_t>(other - devices_.begin());
  }
  tell_use(chosen);
  Device& device = devices_[chosen];
  device.free_workers -= run.job.workers;
  device.memory_bytes += run.job.memory_bytes;
  ++device.jobs;

  if (free_runs_.empty()) {
    free_runs_.push_back(static_cast<std::uint32_t>(runs_.size()));
    runs_.emplace_back();
  }
  const std::uint32_t slot = free_runs_.back();
  free_runs_.pop_back();
  runs_[slot] = run;
  runs_[slot].started = engine_.now();
  runs_[slot].device = chosen;
  const SimTime length = spec_.speed == 1 ? run.job.work : sim_time(run.job.work.seconds() / spec_.speed);
  engine_.at(saturating_sum(engine_.now(), length), engine::Phase::arrival, entity_, *this, slot);
  return true;
}

void Station::on_event(std::uint64_t slot) {
  const Run run = runs_[slot];
  free_runs_.push_back(static_cast<std::uint32_t>(slot));
  tell_use(run.device);
  Device& device = devices_[run.device];
  device.free_workers += run.job.workers;
  device.memory_bytes -= run.job.memory_bytes;
  if (--device.jobs == 0) device.memory_bytes = 0;  // Whatever rounding has left.
  observer_.on_station_job({index_, run.queued, run.started, engine_.now()});
  start_waiting();
  run.job.owner->on_job_ended(run.job.token, run.queued, run.started);
}

void Station::tell_use(std::uint32_t at) {
  Device& device = devices_[at];
  const SimTime since = std::exchange(device.since, engine_.now());
  const int busy = spec_.workers - device.free_workers;
  if (busy == 0 || since == engine_.now()) return;
  const std::int64_t power = spec_.idle_power_mw + (spec_.busy_power_mw - spec_.idle_power_mw) * busy / spec_.workers;
  const double memory = spec_.memory_bytes > 0 ? device.memory_bytes / spec_.memory_bytes : 0;
  observer_.on_station_use({index_, first_device_ + at, since, engine_.now(), busy, device.jobs, memory, power});
}

void Station::close() {
  for (std::uint32_t device = 0; device < devices_.size(); ++device) tell_use(device);
}

}  // namespace rackwright::serving
