#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "models/kernels/device/check.h"
#include "models/kernels/measure/bench.h"
#include "models/kernels/measure/graph.h"

namespace rackwright::kernels {
namespace {

constexpr double repetition_target_us = 300;  // long against the 1 µs step of the global timer
constexpr int inner_max = 64;
constexpr double rest_above_us = 1000;

}  // namespace

Bench::Bench(int sms, std::uint64_t seed) : seed_(seed), stamps_(sms, repetitions) {
  check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
  check(cudaEventCreate(&begin_));
  check(cudaEventCreate(&end_));
}

Bench::~Bench() {
  cudaEventDestroy(begin_);
  cudaEventDestroy(end_);
  cudaStreamDestroy(stream_);
}

void Bench::require_correct(Operation& operation, int slot) {
  operation.refresh(next_seed(), stream_);
  operation.launch(slot, stream_);
  const double error = operation.error(slot, stream_);
  if (!(error <= operation.tolerance()))
    throw DeviceError("wrong result: relative error " + std::to_string(error));
}

double Bench::elapsed_us() const {
  check(cudaStreamSynchronize(stream_));
  float ms = 0;
  check(cudaEventElapsedTime(&ms, begin_, end_));
  return 1e3 * ms;
}

double Bench::estimate_us(Operation& operation) {
  double best_us = 1e12;
  for (int i = 0; i < 3; ++i) {
    check(cudaEventRecord(begin_, stream_));
    operation.launch(i % operation.slots(), stream_);
    check(cudaEventRecord(end_, stream_));
    best_us = std::min(best_us, elapsed_us());
  }
  return best_us;
}

double Bench::quick_us(Operation& operation) {
  require_correct(operation, 0);
  return estimate_us(operation);
}

TimedResult Bench::time(Operation& operation, Mode mode) {
  const double once_us = quick_us(operation);
  TimedResult result;
  result.mode = mode == Mode::graph ? "graph" : "eager";
  result.repetitions = repetitions;
  result.inner = std::clamp(static_cast<int>(std::ceil(repetition_target_us / once_us)), 1, inner_max);
  const unsigned flags = mode == Mode::graph ? cudaEventRecordExternal : cudaEventRecordDefault;
  const auto timed_calls = [&] {
    check(cudaEventRecordWithFlags(begin_, stream_, flags));
    for (int i = 0; i < result.inner; ++i) operation.launch(i % operation.slots(), stream_);
    check(cudaEventRecordWithFlags(end_, stream_, flags));
  };
  std::unique_ptr<Graph> graph;
  if (mode == Mode::graph) {
    graph = std::make_unique<Graph>(stream_, timed_calls);
    graph->launch(stream_);
  }
  std::vector<double> us;
  for (int r = 0; r < repetitions; ++r) {
    operation.refresh(next_seed(), stream_);
    stamps_.begin(r, stream_);
    if (graph) graph->launch(stream_);
    else timed_calls();
    stamps_.end(r, stream_);
    us.push_back(elapsed_us() / result.inner);
    const double busy_us = us.back() * result.inner;
    if (busy_us > rest_above_us) std::this_thread::sleep_for(std::chrono::microseconds(static_cast<long>(busy_us)));
  }
  result.us = spread_of(us);
  result.sm_mhz = stamps_.mean_mhz(repetitions);
  require_correct(operation, operation.slots() - 1);
  return result;
}

}  // namespace rackwright::kernels
