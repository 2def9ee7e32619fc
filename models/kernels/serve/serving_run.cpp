#include "models/kernels/serve/serving_run.h"

#include <atomic>
#include <chrono>
#include <optional>
#include <thread>

#include "models/kernels/measure/clock_stamp.h"

namespace rackwright::kernels {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

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

void warm_up(ServingEngine& engine, double seconds) {
  StepPlan plan;
  constexpr int sequences = 24, context = 1024;
  for (int slot = 0; slot < sequences; ++slot) plan.decodes.push_back({slot, context});
  for (const auto start = Clock::now(); seconds_since(start) < seconds;) engine.run(plan);
}

/// Sleeps through most of the wait and watches the clock for the rest of it.
void wait_until(Clock::time_point start, double moment_s) {
  constexpr double watched_s = 1e-3;
  const double left = moment_s - seconds_since(start);
  if (left > watched_s) std::this_thread::sleep_for(std::chrono::duration<double>(left - watched_s));
  while (seconds_since(start) < moment_s) {
  }
}

}  // namespace

ServedRun serve(ServingEngine& engine, ProfileSession& session, const std::vector<ServedRequest>& requests, double warm_up_s) {
  BatchScheduler scheduler(requests);
  ServedRun run;
  run.steps.reserve(1u << 16);
  ClockStamps stamps(session.facts.sms, 1);
  warm_up(engine, warm_up_s);
  ClockWatch watch(session.nvml);
  stamps.begin(0, session.bench.stream());
  const double energy_before = session.nvml.energy_j();
  const auto start = Clock::now();
  std::optional<long long> last_end_ns;
  while (!scheduler.done()) {
    ServedStep step;
    step.start_s = seconds_since(start);
    const StepPlan& plan = scheduler.plan(step.start_s);
    if (plan.empty()) {
      wait_until(start, *scheduler.next_arrival_s());
      last_end_ns.reset();
      continue;
    }
    step.decodes = static_cast<int>(plan.decodes.size());
    step.prompt_tokens = plan.prompt_tokens();
    step.prompts = static_cast<int>(plan.chunks.size());
    step.context_tokens = plan.context_tokens();
    step.longest_context = plan.longest_context();
    const StepResult& result = engine.run(plan);
    const double end_s = seconds_since(start);
    scheduler.complete(end_s);
    step.duration_s = end_s - step.start_s;
    step.busy_s = 1e-9 * static_cast<double>(result.end_ns - result.begin_ns);
    if (last_end_ns) step.gap_s = 1e-9 * static_cast<double>(result.begin_ns - *last_end_ns);
    last_end_ns = result.end_ns;
    run.steps.push_back(step);
  }
  run.duration_s = seconds_since(start);
  run.energy_j = session.nvml.energy_j() - energy_before;
  stamps.end(0, session.bench.stream());
  check(cudaStreamSynchronize(session.bench.stream()));
  run.sm_mhz = stamps.mean_mhz(1);
  run.driver_mhz = watch.mean_mhz();
  run.temperature_c = session.nvml.temperature_c();
  run.times = scheduler.times();
  return run;
}

}  // namespace rackwright::kernels
