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
#include "models/kernels/measure/random_fill.h"
#include "models/kernels/operators/layer_kernels.h"

namespace rackwright::kernels {
namespace {

constexpr double repetition_target_us = 300;  // long against the 1 µs step of the global timer
constexpr int inner_max = 64;
constexpr double rest_per_busy = 2;

}  // namespace

Bench::Bench(const DeviceFacts& facts, std::uint64_t seed)
    : seed_(seed), stamps_(facts.sms, repetitions), flush_elements_(3 * facts.l2_bytes / 2) {
  check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
  check(cudaEventCreate(&begin_));
  check(cudaEventCreate(&end_));
  check(cudaMalloc(reinterpret_cast<void**>(&flush_buffer_), flush_elements_ * sizeof *flush_buffer_));
  check(cudaMalloc(reinterpret_cast<void**>(&flush_sum_), sizeof *flush_sum_));
  fill_normal(flush_buffer_, flush_elements_, 1, seed, stream_);
}

Bench::~Bench() {
  cudaFree(flush_sum_);
  cudaFree(flush_buffer_);
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

// Without this, what the refill left dirty in the cache is written back during the timed reads.
void Bench::flush_cache() { stream_read(flush_buffer_, flush_sum_, flush_elements_, stream_); }

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
  result.mode = name_of(mode);
  result.repetitions = repetitions;
  result.inner = std::clamp(static_cast<int>(std::ceil(repetition_target_us / once_us)), 1, inner_max);
  const unsigned flags = mode == Mode::graph ? cudaEventRecordExternal : cudaEventRecordDefault;
  const auto timed_calls = [&] {
    if (result.inner > 1) operation.launch(operation.slots() - 1, stream_);
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
    flush_cache();
    stamps_.begin(r, stream_);
    if (graph) graph->launch(stream_);
    else timed_calls();
    stamps_.end(r, stream_);
    us.push_back(elapsed_us() / result.inner);
    const double busy_us = us.back() * result.inner;
    std::this_thread::sleep_for(std::chrono::microseconds(static_cast<long>(rest_per_busy * busy_us)));
  }
  result.us = spread_of(us);
  result.sm_mhz = stamps_.mean_mhz(repetitions);
  require_correct(operation, operation.slots() - 1);
  return result;
}

}  // namespace rackwright::kernels
