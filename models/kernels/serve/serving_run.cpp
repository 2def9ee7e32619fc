#include "models/kernels/serve/serving_run.h"

#include <atomic>
#include <chrono>
#include <cmath>
#include <optional>
#include <thread>

#include "models/kernels/measure/clock_stamp.h"

namespace rackwright::kernels {
namespace {

/// Reads the driver's clock ten times a second beside the run.
class ClockWatch {
 public:
  explicit ClockWatch(const Nvml& nvml)
      : thread_([this, &nvml] {
          while (!stop_) {
            sum_mhz_ += nvml.sm_clock_mhz();
            ++count_;
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
          }
        }) {}
  ~ClockWatch() { join(); }
  ClockWatch(const ClockWatch&) = delete;
  ClockWatch& operator=(const ClockWatch&) = delete;

  double mean_mhz() {
    join();
    return sum_mhz_ / count_;
  }

 private:
  void join() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
  }

  std::atomic<bool> stop_ = false;
  double sum_mhz_ = 0;
  int count_ = 0;
  std::thread thread_;
};

/// Until there may be work again.
void rest(const BatchScheduler& scheduler, const RunClock& clock) {
  const std::optional<double> next = scheduler.next_arrival_s();
  if (next && std::isfinite(*next)) clock.wait_until(*next);
}

}  // namespace

double warm_up(ServingEngine& engine, const Nvml& nvml, double seconds) {
  StepPlan plan;
  constexpr int sequences = 24, context = 1024;
  for (int slot = 0; slot < sequences; ++slot) plan.decodes.push_back({slot, context});
  const RunClock clock;
  const auto run_until = [&](double moment_s) {
    while (clock.now_s() < moment_s) engine.run(plan);
  };
  struct Update {
    double at_s, energy_j;
  };
  // The counter moves in steps: a window between two of them.
  const auto next_update = [&] {
    const double before_j = nvml.energy_j();
    while (nvml.energy_j() == before_j) engine.run(plan);
    return Update{clock.now_s(), nvml.energy_j()};
  };
  run_until(seconds / 2);
  const Update first = next_update();
  run_until(seconds);
  const Update last = next_update();
  return (last.energy_j - first.energy_j) / (last.at_s - first.at_s);
}

ServedRun serve(ServingEngine& engine, ProfileSession& session, BatchScheduler& scheduler, const RunClock& clock, RunHooks& hooks) {
  ServedRun run;
  run.steps.reserve(1u << 16);
  ClockStamps stamps(session.facts.sms, 1);
  ClockWatch watch(session.nvml);
  stamps.begin(0, engine.stream());
  const double energy_before = session.nvml.energy_j(), start_s = clock.now_s();
  std::optional<long long> last_end_ns;
  while (!scheduler.done()) {
    hooks.planning();
    ServedStep step;
    step.start_s = clock.now_s();
    const StepPlan& plan = scheduler.plan(step.start_s);
    if (plan.empty()) {
      rest(scheduler, clock);
      last_end_ns.reset();
      continue;
    }
    step.decodes = static_cast<int>(plan.decodes.size());
    step.prompt_tokens = plan.prompt_tokens();
    step.prompts = static_cast<int>(plan.chunks.size());
    step.context_tokens = plan.context_tokens();
    step.longest_context = plan.longest_context();
    engine.start(plan);
    hooks.launched(plan);
    const StepResult& result = engine.finish();
    const double end_s = clock.now_s();
    step.duration_s = end_s - step.start_s;
    step.busy_s = 1e-9 * static_cast<double>(result.end_ns - result.begin_ns);
    if (last_end_ns) step.gap_s = 1e-9 * static_cast<double>(result.begin_ns - *last_end_ns);
    last_end_ns = result.end_ns;
    hooks.ended(plan, step);
    scheduler.complete(end_s);
    run.steps.push_back(step);
  }
  run.duration_s = clock.now_s() - start_s;
  run.energy_j = session.nvml.energy_j() - energy_before;
  stamps.end(0, engine.stream());
  check(cudaStreamSynchronize(engine.stream()));
  run.sm_mhz = stamps.mean_mhz(1);
  run.driver_mhz = watch.mean_mhz();
  run.temperature_c = session.nvml.temperature_c();
  run.times = scheduler.times();
  return run;
}

}  // namespace rackwright::kernels
