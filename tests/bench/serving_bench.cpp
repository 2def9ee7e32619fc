/// Times the serving simulation alone: no files, no facility. One line of JSON a case: median wall time of the runs,
/// the process's peak memory so far, and what was simulated.
///
///   bench_serving [--runs N] [CASE…]
///
/// vidur: the run of data/oracles/vidur-sarathi with its tables (needs RACKWRIGHT_DATA); vidur-walk: the same, every step
/// an event. saturated, saturated-4: a replica with the shape of Llama-3.1-8B's costs and all requests of that trace at
/// once. pipeline: 100,000 generated requests over eight replicas of four stages; pipeline-walk: the same, every step an event.
/// million: a million generated requests over 64 replicas.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "models/base/random.h"
#include "sim/engine/make_engine.h"
#include "sim/policies/least_outstanding_router.h"
#include "sim/policies/round_robin_router.h"
#include "sim/policies/vllm_v1_policy.h"
#include "tests/support/serving_doubles.h"
#include "tests/support/vidur_oracle.h"

using namespace rackwright;
using tests::AffineCostModel;
using tests::ListSource;

namespace {

struct Tally final : metrics::RunObserver {
  std::uint64_t requests = 0;
  std::int64_t steps = 0;
  std::uint64_t stretches = 0;
  SimTime end;
  void on_request(const metrics::RequestOutcome& outcome) override {
    ++requests;
    end = std::max(end, outcome.last_token);
  }
  void on_stretch(const metrics::Stretch& stretch) override {
    steps += stretch.steps;
    ++stretches;
  }
};

/// Poisson arrivals; input 50 to 2,049 tokens, output 20 to 419, uniform.
class Generated final : public traces::RequestSource {
 public:
  Generated(std::uint64_t count, double rate) : random_(1, "bench", "requests"), count_(count), mean_gap_s_(1 / rate) {}
  bool next(traces::Request& request) override {
    if (made_ == count_) return false;
    at_ += sim_time(-mean_gap_s_ * std::log1p(-random_.uniform()));
    request = tests::request(at_.ps, 50 + static_cast<std::int32_t>(random_() % 2000), 20 + static_cast<std::int32_t>(random_() % 400));
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

/// About an H200 with Llama-3.1-8B in bf16: 5 ms for the weights, 22 ps a byte of KV, 20 µs a prompt token.
std::shared_ptr<const cost::StepCostModel> llama_8b_cost() {
  auto cost = std::make_shared<AffineCostModel>();
  cost->base = 5 * tests::ms;
  cost->per_prefill_token = 20'000'000;
  cost->per_sequence = 10'000'000;
  cost->per_context_token = 27'000;
  return cost;
}

serving::ServingSpec vllm_spec(int replicas) {
  serving::PoolSpec pool;
  pool.name = "chat";
  pool.replicas = replicas;
  pool.instance = {std::make_shared<policies::VllmV1Policy>(policies::VllmV1Options{}), llama_8b_cost(), 50'000, 16};
  serving::ServingSpec spec;
  spec.pools.push_back(pool);
  spec.router = std::make_shared<policies::LeastOutstandingRouter>();
  return spec;
}

serving::ServingSpec pipelined_spec(serving::Jumping jumping) {
  serving::ServingSpec spec = vllm_spec(8);
  spec.pools[0].instance.stage_layers = {8, 8, 8, 8};
  spec.jumping = jumping;
  return spec;
}

void measure(const std::string& name, int runs, const serving::ServingSpec& spec,
             const std::function<std::unique_ptr<traces::RequestSource>()>& make_source) {
  std::vector<double> seconds;
  Tally tally;
  for (int i = 0; i < runs; ++i) {
    const auto source = make_source();
    const auto engine = engine::make_engine();
    tally = {};
    const auto start = std::chrono::steady_clock::now();
    serving::ServingSystem system(*engine, spec, *source, tally);
    system.start();
    engine->run();
    system.finish();
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::ranges::sort(seconds);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print(R"({{"case":"{}","median_s":{:.4f},"peak_mb":{:.0f},"requests":{},"steps":{},"stretches":{},"simulated_s":{:.1f}}})" "\n",
             name, seconds[seconds.size() / 2], static_cast<double>(usage.ru_maxrss) / 1024, tally.requests, tally.steps,
             tally.stretches, tally.end.seconds());
}

std::filesystem::path vidur_folder() {
  const char* data = std::getenv("RACKWRIGHT_DATA");
  return std::filesystem::path(data == nullptr ? "../shared/data" : data) / "oracles/vidur-sarathi";
}

std::vector<traces::Request> vidur_requests(bool at_once) {
  std::vector<traces::Request> requests;
  for (const test::VidurRequest& row : test::load_vidur_requests(vidur_folder())) requests.push_back(row.request);
  for (traces::Request& request : requests)
    if (at_once) request.arrival = {};
  return requests;
}

}  // namespace

int main(int argc, char* argv[]) {
  int runs = 5;
  std::vector<std::string> cases;
  for (int i = 1; i < argc; ++i) {
    if (std::string(argv[i]) == "--runs" && i + 1 < argc) runs = std::stoi(argv[++i]);
    else cases.emplace_back(argv[i]);
  }
  const auto wanted = [&](const char* name) { return cases.empty() || std::ranges::find(cases, name) != cases.end(); };
  const auto vidur = [&](const char* name, serving::Jumping jumping) {
    if (!wanted(name)) return;
    const auto requests = vidur_requests(false);
    measure(name, runs, test::vidur_serving(1, test::load_vidur_cost_model(vidur_folder()), jumping),
            [&] { return std::make_unique<ListSource>(requests); });
  };
  vidur("vidur", serving::Jumping::on);
  vidur("vidur-walk", serving::Jumping::off);
  const auto saturated = [&](const char* name, int replicas) {
    if (!wanted(name)) return;
    const auto requests = vidur_requests(true);
    measure(name, runs, vllm_spec(replicas), [&] { return std::make_unique<ListSource>(requests); });
  };
  saturated("saturated", 1);
  saturated("saturated-4", 4);
  const auto pipeline = [&](const char* name, serving::Jumping jumping) {
    if (wanted(name)) measure(name, runs, pipelined_spec(jumping), [] { return std::make_unique<Generated>(100'000, 8 * 8.0); });
  };
  pipeline("pipeline", serving::Jumping::on);
  pipeline("pipeline-walk", serving::Jumping::off);
  if (wanted("million")) measure("million", runs, vllm_spec(64), [] { return std::make_unique<Generated>(1'000'000, 64 * 15.0); });
}
