#include <fmt/format.h>

#include <chrono>
#include <functional>

#include "models/kernels/families/families.h"
#include "models/kernels/measure/graph.h"
#include "models/kernels/measure/pause.h"
#include "models/kernels/measure/random_fill.h"

namespace rackwright::kernels {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int repetitions = 30;

double us_since(Clock::time_point start) { return std::chrono::duration<double, std::micro>(Clock::now() - start).count(); }

/// Spread of what `once` returns over the repetitions, after two warm-ups; per call of `inner`.
TimedResult repeated(const std::string& mode, int inner, const std::function<double()>& once) {
  once();
  once();
  std::vector<double> us;
  for (int i = 0; i < repetitions; ++i) us.push_back(once() / inner);
  return {mode, spread_of(us), repetitions, inner, 0};
}

/// A pair of events on one stream.
class EventPair {
 public:
  explicit EventPair(cudaStream_t stream) : stream_(stream) {
    check(cudaEventCreate(&begin_));
    check(cudaEventCreate(&end_));
  }
  ~EventPair() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }
  EventPair(const EventPair&) = delete;
  EventPair& operator=(const EventPair&) = delete;

  /// Device time of what `enqueue` puts on the stream; a pause before it hides the host's launches.
  double device_us(double hide_us, const std::function<void()>& enqueue) const {
    if (hide_us > 0) device_pause(hide_us, stream_);
    check(cudaEventRecord(begin_, stream_));
    enqueue();
    check(cudaEventRecord(end_, stream_));
    check(cudaStreamSynchronize(stream_));
    float ms = 0;
    check(cudaEventElapsedTime(&ms, begin_, end_));
    return 1e3 * ms;
  }

 private:
  cudaStream_t stream_;
  cudaEvent_t begin_ = nullptr;
  cudaEvent_t end_ = nullptr;
};

}  // namespace

void measure_launch(ProfileSession& session, std::vector<ProfileTable>& tables) {
  auto& table = tables.emplace_back("launch", std::vector<std::string>{"what", "nodes"});
  const cudaStream_t stream = session.bench.stream();
  const EventPair events(stream);
  constexpr int eager_calls = 200;
  const auto launch_many = [&] {
    for (int i = 0; i < eager_calls; ++i) empty_kernel(stream);
  };
  table.add({"eager_host", "1"}, repeated("eager", eager_calls, [&] {
    const auto start = Clock::now();
    launch_many();
    const double us = us_since(start);
    check(cudaStreamSynchronize(stream));
    return us;
  }));
  table.add({"eager_device", "1"}, repeated("eager", eager_calls, [&] { return events.device_us(0, launch_many); }));
  table.add({"event_sync", "1"}, repeated("eager", 1, [&] {
    const auto start = Clock::now();
    empty_kernel(stream);
    check(cudaStreamSynchronize(stream));
    return us_since(start);
  }));
  for (int nodes : {1, 2, 5, 10, 20, 50, 100, 200, 300, 500, 1000}) {
    const Graph graph(stream, [&] {
      for (int i = 0; i < nodes; ++i) empty_kernel(stream);
    });
    const std::string count = fmt::format("{}", nodes);
    table.add({"graph_host", count}, repeated("graph", 1, [&] {
      const auto start = Clock::now();
      graph.launch(stream);
      const double us = us_since(start);
      check(cudaStreamSynchronize(stream));
      return us;
    }));
    table.add({"graph_device", count}, repeated("graph", 1, [&] { return events.device_us(500, [&] { graph.launch(stream); }); }));
    table.add({"graph_latency", count}, repeated("graph", 1, [&] {
      const auto start = Clock::now();
      graph.launch(stream);
      check(cudaStreamSynchronize(stream));
      return us_since(start);
    }));
  }
}

void measure_host_copy(ProfileSession& session, std::vector<ProfileTable>& tables) {
  auto& table = tables.emplace_back("host_copy", std::vector<std::string>{"direction", "memory", "bytes"});
  const ArenaScope scope(session.arena);
  const cudaStream_t stream = session.bench.stream();
  const EventPair events(stream);
  constexpr std::size_t largest = 512u << 20, largest_pageable = 64u << 20;
  auto* device = session.arena.take<__nv_bfloat16>(largest / 2);
  fill_normal(device, largest / 2, 1, session.bench.next_seed(), stream);
  void* pinned = nullptr;
  check(cudaMallocHost(&pinned, largest));
  std::vector<std::byte> pageable(largest_pageable);
  check(cudaMemcpy(pinned, device, largest, cudaMemcpyDeviceToHost));
  check(cudaMemcpy(pageable.data(), device, largest_pageable, cudaMemcpyDeviceToHost));
  for (std::size_t bytes = 4096; bytes <= largest; bytes *= 4)
    for (const bool to_device : {true, false}) {
      const std::string direction = to_device ? "h2d" : "d2h", size = fmt::format("{}", bytes);
      table.add({direction, "pinned", size}, repeated("eager", 1, [&] {
        return events.device_us(20, [&] {
          check(to_device ? cudaMemcpyAsync(device, pinned, bytes, cudaMemcpyHostToDevice, stream)
                          : cudaMemcpyAsync(pinned, device, bytes, cudaMemcpyDeviceToHost, stream));
        });
      }));
      if (bytes > largest_pageable) continue;
      table.add({direction, "pageable", size}, repeated("eager", 1, [&] {
        const auto start = Clock::now();
        check(to_device ? cudaMemcpyAsync(device, pageable.data(), bytes, cudaMemcpyHostToDevice, stream)
                        : cudaMemcpyAsync(pageable.data(), device, bytes, cudaMemcpyDeviceToHost, stream));
        check(cudaStreamSynchronize(stream));
        return us_since(start);
      }));
    }
  cudaFreeHost(pinned);
}

}  // namespace rackwright::kernels
