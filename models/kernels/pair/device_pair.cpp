#include "models/kernels/pair/device_pair.h"

#include <algorithm>
#include <barrier>
#include <cmath>
#include <exception>
#include <memory>
#include <thread>

#include "models/base/invariant.h"
#include "models/kernels/device/check.h"
#include "models/kernels/measure/graph.h"
#include "models/kernels/measure/pause.h"
#include "models/kernels/measure/random_fill.h"

namespace rackwright::kernels {
namespace {

constexpr int repetitions = 20;
constexpr double repetition_target_us = 400;
constexpr int inner_max = 32;

float elapsed_us(const PairSide& side) {
  float ms = 0;
  check(cudaStreamSynchronize(side.stream));
  check(cudaEventElapsedTime(&ms, side.begin, side.end));
  return 1e3f * ms;
}

}  // namespace

DevicePair::DevicePair() {
  int count = 0;
  check(cudaGetDeviceCount(&count));
  if (count < 2) throw EnvironmentError("the two-GPU part needs two devices");
  for (int rank = 0; rank < 2; ++rank) {
    int reachable = 0;
    check(cudaDeviceCanAccessPeer(&reachable, rank, 1 - rank));
    if (!reachable) throw EnvironmentError("devices 0 and 1 do not reach each other's memory");
    check(cudaSetDevice(rank));
    check(cudaDeviceEnablePeerAccess(1 - rank, 0));
    PairSide& side = sides_[rank];
    side.device = rank;
    check(cudaStreamCreateWithFlags(&side.stream, cudaStreamNonBlocking));
    check(cudaEventCreate(&side.begin));
    check(cudaEventCreate(&side.end));
    check(cudaMalloc(reinterpret_cast<void**>(&side.send), buffer_bytes));
    check(cudaMalloc(reinterpret_cast<void**>(&side.receive), buffer_bytes));
  }
}

DevicePair::~DevicePair() {
  for (const PairSide& side : sides_) {
    cudaSetDevice(side.device);
    cudaFree(side.send);
    cudaFree(side.receive);
    cudaEventDestroy(side.begin);
    cudaEventDestroy(side.end);
    cudaStreamDestroy(side.stream);
  }
}

void DevicePair::on_both(const std::function<void(int)>& work) const {
  std::array<std::exception_ptr, 2> failures;
  std::array<std::thread, 2> threads;
  for (int rank = 0; rank < 2; ++rank)
    threads[rank] = std::thread([&, rank] {
      try {
        check(cudaSetDevice(rank));
        work(rank);
      } catch (...) {
        failures[rank] = std::current_exception();
      }
    });
  for (auto& thread : threads) thread.join();
  for (const auto& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

void DevicePair::refresh(std::size_t bytes, std::uint64_t seed) const {
  const std::size_t count = (bytes / 2 + 7) / 8 * 8;
  for (const PairSide& side : sides_) {
    check(cudaSetDevice(side.device));
    fill_normal(reinterpret_cast<__nv_bfloat16*>(side.send), count, 1, seed * 2 + side.device, side.stream);
    poison(reinterpret_cast<__nv_bfloat16*>(side.receive), count, side.stream);
    check(cudaStreamSynchronize(side.stream));
  }
}

TimedResult time_pair(const DevicePair& pair, const PairCall& call) {
  std::array<double, 2> once_us{};
  std::array<std::vector<double>, 2> us;
  std::barrier meet(2);
  int inner = 1;
  const auto measure = [&](int rank) {
    const PairSide& side = pair.side(rank);
    const bool active = rank == 0 || call.both;
    const auto timed = [&](int calls, const std::function<void()>& launch_all) {
      meet.arrive_and_wait();
      if (!active) return 0.0;
      // The pause lets both hosts enqueue before either device starts.
      device_pause(100, side.stream);
      check(cudaEventRecord(side.begin, side.stream));
      launch_all();
      check(cudaEventRecord(side.end, side.stream));
      return static_cast<double>(elapsed_us(side)) / calls;
    };
    for (int i = 0; i < 3; ++i) once_us[rank] = timed(1, [&] { call.enqueue(rank); });
    meet.arrive_and_wait();
    if (rank == 0) inner = std::clamp(static_cast<int>(std::ceil(repetition_target_us / std::max(once_us[0], once_us[1]))), 1, inner_max);
    meet.arrive_and_wait();
    const auto eager = [&] {
      for (int i = 0; i < inner; ++i) call.enqueue(rank);
    };
    std::unique_ptr<Graph> graph;
    if (call.graph && active) graph = std::make_unique<Graph>(side.stream, eager);
    const auto launch_all = [&] {
      if (graph) graph->launch(side.stream);
      else eager();
    };
    timed(inner, launch_all);
    for (int r = 0; r < repetitions; ++r) us[rank].push_back(timed(inner, launch_all));
  };
  pair.on_both([&](int rank) {
    try {
      measure(rank);
    } catch (...) {
      meet.arrive_and_drop();  // the other rank must not wait for this one
      throw;
    }
  });
  invariant(us[0].size() == us[1].size(), "both ranks ran every repetition");
  std::vector<double> slower(repetitions);
  for (int r = 0; r < repetitions; ++r) slower[r] = std::max(us[0][r], us[1][r]);
  return {call.graph ? "graph" : "eager", spread_of(slower), repetitions, inner, 0};
}

}  // namespace rackwright::kernels
