#include <cmath>

#include "models/base/random.h"
#include "sim/engine/make_engine.h"
#include "sim/policies/round_robin_router.h"
#include "sim/policies/vllm_v1_policy.h"
#include "tests/support/catch.h"
#include "tests/support/serving_doubles.h"

using namespace rackwright;
using namespace rackwright::tests;

namespace {

/// `count` requests of one prompt token and one output token, with exponential gaps of the given mean.
class PoissonSource final : public traces::RequestSource {
 public:
  PoissonSource(std::uint64_t seed, std::uint64_t count, double mean_gap_s)
      : random_(seed, "workload", "arrivals"), count_(count), mean_gap_s_(mean_gap_s) {}
  bool next(traces::Request& request) override {
    if (made_ == count_) return false;
    at_ += sim_time(-mean_gap_s_ * std::log1p(-random_.uniform()));
    request = tests::request(at_.ps, 1, 1);
    request.id = made_++;
    return true;
  }
  std::string_view name(std::uint32_t) const override { return ""; }

 private:
  RandomStream random_;
  std::uint64_t count_;
  double mean_gap_s_;
  std::uint64_t made_ = 0;
  SimTime at_;
};

/// The mean of a correlated series and its standard error by batch means: the series is cut into batches much longer
/// than its memory, whose means are close to independent.
class BatchMeans final : public metrics::RunObserver {
 public:
  explicit BatchMeans(std::int64_t batch_size) : batch_size_(batch_size) {}
  void on_request(const metrics::RequestOutcome& outcome) override {
    sum_ += (outcome.first_token - outcome.arrival).seconds();
    if (++in_batch_ < batch_size_) return;
    means_.push_back(sum_ / static_cast<double>(batch_size_));
    sum_ = 0;
    in_batch_ = 0;
  }
  double mean() const {
    double sum = 0;
    for (const double mean : means_) sum += mean;
    return sum / static_cast<double>(means_.size());
  }
  double standard_error() const {
    double squares = 0;
    for (const double value : means_) squares += (value - mean()) * (value - mean());
    const auto n = static_cast<double>(means_.size());
    return std::sqrt(squares / (n - 1) / n);
  }

 private:
  std::int64_t batch_size_;
  std::int64_t in_batch_ = 0;
  double sum_ = 0;
  std::vector<double> means_;
};

/// Times to first token of 10⁶ Poisson requests at a server that takes one prompt a step, `duration_s` through `stages`.
BatchMeans first_token_times(double rate, double duration_s, int stages) {
  policies::VllmV1Options options;
  options.token_budget = 1;
  AffineCostModel cost;
  cost.base = sim_time(duration_s).ps;
  serving::PoolSpec pool;
  pool.name = "one prompt a step";
  pool.instance = {std::make_shared<policies::VllmV1Policy>(options), std::make_shared<AffineCostModel>(cost), 10, 16};
  pool.instance.stage_layers.assign(static_cast<std::size_t>(stages), 1);
  serving::ServingSpec spec;
  spec.pools.push_back(pool);
  spec.router = std::make_shared<policies::RoundRobinRouter>();

  const auto engine = engine::make_engine();
  PoissonSource source(1, 1'000'000, 1 / rate);
  BatchMeans times(10'000);
  serving::ServingSystem system(*engine, spec, source, times);
  system.start();
  engine->run();
  CHECK_FALSE(system.finish());
  CHECK(system.counts().completed == 1'000'000);
  return times;
}

void check_mean(const BatchMeans& times, double expected_s) {
  INFO("mean " << times.mean() << " s, standard error " << times.standard_error() << " s, expected " << expected_s << " s");
  CHECK(std::abs(times.mean() - expected_s) < 3 * times.standard_error());
  CHECK(times.standard_error() < 0.01 * expected_s);
}

}  // namespace

TEST_CASE("A single-slot server waits as an M/D/1 queue does") {
  // Service D = 1 s, load ρ = 0.8: the mean wait is ρ D / (2 (1 - ρ)) = 2 s (Pollaczek-Khinchine), TTFT = D + that.
  check_mean(first_token_times(0.8, 1, 1), 1 + 2);
}

TEST_CASE("Two pipeline stages queue at half the step, and add up to the whole") {
  // TTFT = D + R D² / (4 (2 - R D)), DistServe §3.1: at R = 1 /s and D = 1.2 s, which one stage could not carry, 1.65 s.
  check_mean(first_token_times(1, 1.2, 2), 1.2 + 1.44 / (4 * 0.8));
}

TEST_CASE("Two-way tensor parallelism with a speed-up of K queues at D / K") {
  // TTFT = D/K + R D² / (2 K (K - R D)), DistServe §3.1: at K = 1.6, 1.875 s. At this rate the pipeline is better; at a
  // fifth of it tensor parallelism is: 0.814 s against 1.241 s.
  check_mean(first_token_times(1, 1.2 / 1.6, 1), 0.75 + 1.44 / (2 * 1.6 * 0.4));
  check_mean(first_token_times(0.2, 1.2 / 1.6, 1), 0.75 + 0.2 * 1.44 / (2 * 1.6 * (1.6 - 0.24)));
  check_mean(first_token_times(0.2, 1.2, 2), 1.2 + 0.2 * 1.44 / (4 * (2 - 0.24)));
}
