#include "sim/run/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "models/base/saturating.h"
#include "sim/engine/make_engine.h"
#include "sim/run/observer_list.h"

namespace rackwright::run {
namespace {

/// Remembers when the first request arrived.
class FirstArrival final : public traces::RequestSource {
 public:
  explicit FirstArrival(traces::RequestSource& source) : source_(source) {}

  bool next(traces::Request& request) override {
    if (!source_.next(request)) return false;
    if (!at_) at_ = request.arrival;
    return true;
  }
  std::string_view name(std::uint32_t id) const override { return source_.name(id); }
  SimTime at() const { return at_.value_or(SimTime{}); }

 private:
  traces::RequestSource& source_;
  std::optional<SimTime> at_;
};

/// Watches that time is well spent: ends the run when it is cancelled, when its time is up, or when for too long no step
/// was computed although requests wait. KV that is on its way counts as computing, but no longer than that. Its own events change nothing that a result depends on.
class Watchdog final : public metrics::RunObserver, public engine::EventHandler {
 public:
  Watchdog(engine::Engine& engine, const SimulationLimits& limits) : engine_(engine), limits_(limits) {
    if (limits.simulated_time) engine_.at(*limits.simulated_time, engine::Phase::observe, entity, *this, time_is_up);
    watch();
  }

  void watch_requests(serving::ServingSystem& system) { system_ = &system; }

  void on_request(const metrics::RequestOutcome& request) override {
    last_event_ = std::max({last_event_, request.last_token, request.arrival});
    if (request.turn) last_event_ = std::max(last_event_, request.turn->end);
    stop_if_cancelled();
    if (!is_watching_) watch();
  }
  void on_stretch(const metrics::Stretch& stretch) override {
    last_event_ = std::max(last_event_, stretch.end);
    stop_if_cancelled();
  }

  void on_station_use(const metrics::StationUse& use) override {
    last_event_ = std::max(last_event_, use.end);
    stop_if_cancelled();
  }

  void on_event(std::uint64_t token) override {
    if (token == time_is_up) {
      last_event_ = engine_.now();
      time_was_up_ = true;
      engine_.stop();
      return;
    }
    is_watching_ = false;
    stop_if_cancelled();
    if (status_ == results::RunStatus::cancelled) return;
    const std::int64_t steps = system_->steps_ended();
    const bool has_moved = std::exchange(seen_steps_, steps) != steps;
    if (!system_->has_work()) return;  // The next request to leave brings the watch back.
    if (has_moved || system_->is_computing() || system_->fetches_since(engine_.now() - limits_.no_progress)) {
      watch();
      return;
    }
    last_event_ = engine_.now();
    stop(results::RunStatus::stalled, stall_reason());
  }

  SimTime last_event() const { return last_event_; }
  bool time_was_up() const { return time_was_up_; }
  results::RunStatus status() const { return status_; }
  const std::string& reason() const { return reason_; }

  std::string stall_reason() const {
    const std::optional<serving::Stall> stall = system_->finish();
    if (!stall) return "no request makes progress";
    return fmt::format("request {} makes no progress: {}", stall->request, stall->resource);
  }

 private:
  enum Token : std::uint64_t { no_progress, time_is_up };
  static constexpr std::uint32_t entity = 0;

  void watch() {
    is_watching_ = true;
    engine_.at(saturating_sum(engine_.now(), limits_.no_progress), engine::Phase::observe, entity, *this, no_progress);
  }
  void stop_if_cancelled() {
    if (limits_.cancelled.stop_requested()) stop(results::RunStatus::cancelled, "the run was cancelled");
  }
  void stop(results::RunStatus status, std::string reason) {
    status_ = status;
    reason_ = std::move(reason);
    engine_.stop();
  }

  engine::Engine& engine_;
  const SimulationLimits& limits_;
  serving::ServingSystem* system_ = nullptr;
  SimTime last_event_;
  std::int64_t seen_steps_ = 0;
  bool is_watching_ = false;
  bool time_was_up_ = false;
  results::RunStatus status_ = results::RunStatus::complete;
  std::string reason_;
};

}  // namespace

SimulationResult simulate(const serving::ServingSpec& serving, traces::RequestSource& requests, metrics::RunObserver& observer,
                         const SimulationLimits& limits, const NetworkSetup* network) {
  const std::unique_ptr<engine::Engine> engine = engine::make_engine();
  std::optional<NetworkLoads> loads;
  std::optional<fabric::DeviceFabric> devices;
  if (network && network->paths) {
    devices.emplace(*engine, *network->paths, network->parameters);
    loads.emplace(devices->loads().size(), network->timeline_period_s);
    devices->watch(*loads);
  }
  FirstArrival source(requests);
  Watchdog watchdog(*engine, limits);
  ObserverList observers({&observer, &watchdog});
  KvTransports transport(*engine, devices ? &*devices : nullptr, network ? network->kv_ends : std::vector<KvEnd>());
  NodeTraffic traffic(*engine, devices ? &*devices : nullptr, network ? network->step_traffic : std::vector<InstanceTraffic>());
  serving::ServingSystem system(*engine, serving, source, observers, &transport, &traffic);
  transport.slow_compute_of(system);
  watchdog.watch_requests(system);
  system.start();
  engine->run();
  system.close();

  metrics::RunEnd end;
  end.first_arrival = source.at();
  end.last_event = std::max(watchdog.last_event(), end.first_arrival);
  end.status = watchdog.status();
  end.status_reason = watchdog.reason();
  const bool ran_dry = end.status == results::RunStatus::complete && !watchdog.time_was_up();
  if (ran_dry && system.finish()) {
    end.status = results::RunStatus::stalled;
    end.status_reason = watchdog.stall_reason();
  }
  end.requests_total = static_cast<std::int64_t>(system.counts().total);
  end.requests_in_flight = static_cast<std::int64_t>(system.counts().in_flight);
  end.kv_tiers = system.kv_tiers();
  SimulationResult result{end, std::nullopt, engine->events_run()};
  if (devices) result.network = traffic_of(*devices, *loads, end.last_event - end.first_arrival);
  return result;
}

}  // namespace rackwright::run
