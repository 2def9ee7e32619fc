#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "models/base/time.h"
#include "sim/engine/engine.h"
#include "sim/metrics/run_observer.h"

namespace rackwright::serving {

/// Devices that do jobs beside model steps: CPUs on which agents' tools run, whatever recognises or makes speech.
struct StationSpec {
  std::string name;
  int devices = 1;
  int workers = 1;          ///< Of one device.
  double memory_bytes = 0;  ///< Of one device, for jobs.
  double speed = 1;         ///< Over that of the machine on which the times of jobs were measured.
  std::int64_t idle_power_mw = 0;  ///< Of one device,
  std::int64_t busy_power_mw = 0;  ///< and with all its workers at work. Power is linear in busy workers between.
};

/// Told when a job has ended.
class JobOwner {
 public:
  virtual ~JobOwner() = default;
  virtual void on_job_ended(std::uint64_t token, SimTime queued, SimTime started) = 0;
};

struct Job {
  int workers = 1;  ///< Of one device; no more than a device has.
  double memory_bytes = 0;
  SimTime work;     ///< At a speed of 1.
  JobOwner* owner = nullptr;
  std::uint64_t token = 0;
};

/// One queue before all devices of a station: first come, first served, and nobody passes one who waits for more workers
/// or memory. A job runs on one device, the one with the most free workers, to its end.
///
/// Not modelled: workers that slow each other down (shared caches, memory bandwidth, turbo clocks, simultaneous
/// multithreading), preemption, time to start a process or to move its data.
class Station final : private engine::EventHandler {
 public:
  /// `index` among the stations, `first_device` of all their devices.
  Station(engine::Engine& engine, const StationSpec& spec, std::uint32_t index, std::uint32_t first_device, std::uint32_t entity,
          metrics::RunObserver& observer);

  void submit(const Job& job);
  /// Reports what devices do until now, at the end of a run that was stopped. Nothing follows.
  void close();
  const StationSpec& spec() const { return spec_; }

 private:
  struct Device {
    int free_workers = 0;
    int jobs = 0;
    double memory_bytes = 0;  ///< Taken.
    SimTime since;            ///< When anything changed here last.
  };
  struct Run {
    Job job;
    SimTime queued;
    SimTime started;
    std::uint32_t device = 0;
  };

  void on_event(std::uint64_t slot) override;
  void start_waiting();
  bool start(const Run& run);
  void tell_use(std::uint32_t device);

  engine::Engine& engine_;
  const StationSpec& spec_;
  const std::uint32_t index_;
  const std::uint32_t first_device_;
  const std::uint32_t entity_;
  metrics::RunObserver& observer_;
  std::vector<Device> devices_;
  std::deque<Run> waiting_;
  std::vector<Run> runs_;  ///< Recycled slots.
  std::vector<std::uint32_t> free_runs_;
};

}  // namespace rackwright::serving
