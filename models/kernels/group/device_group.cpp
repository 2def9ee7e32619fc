#include "models/kernels/group/device_group.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <thread>
#include <vector>

#include "models/base/invariant.h"
#include "models/kernels/device/check.h"
#include "models/kernels/measure/random_fill.h"

namespace rackwright::kernels {
namespace {

void reach(int from, int to) {
  int reachable = 0;
  check(cudaDeviceCanAccessPeer(&reachable, from, to));
  if (!reachable) throw EnvironmentError(fmt::format("device {} does not reach the memory of device {}", from, to));
  check(cudaDeviceEnablePeerAccess(to, 0));
}

}  // namespace

struct DeviceGroup::Owned {
  explicit Owned(int ranks) : sides(static_cast<std::size_t>(ranks)) {
    for (int rank = 0; rank < ranks; ++rank) {
      check(cudaSetDevice(rank));
      for (int peer = 0; peer < ranks; ++peer)
        if (peer != rank) reach(rank, peer);
      GroupSide& side = sides[static_cast<std::size_t>(rank)];
      side.device = rank;
      check(cudaStreamCreateWithFlags(&side.stream, cudaStreamNonBlocking));
      check(cudaEventCreate(&side.begin));
      check(cudaEventCreate(&side.end));
      check(cudaMalloc(reinterpret_cast<void**>(&side.send), buffer_bytes));
      check(cudaMalloc(reinterpret_cast<void**>(&side.receive), buffer_bytes));
    }
  }
  ~Owned() {
    for (const GroupSide& side : sides) {
      cudaSetDevice(side.device);
      cudaFree(side.send);
      cudaFree(side.receive);
      cudaEventDestroy(side.begin);
      cudaEventDestroy(side.end);
      cudaStreamDestroy(side.stream);
    }
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;

  std::vector<GroupSide> sides;
  StartGate gate;
};

int DeviceGroup::devices() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

DeviceGroup::DeviceGroup(int ranks) : ranks_(ranks) {
  const int count = devices();
  if (ranks < 2 || count < ranks)
    throw EnvironmentError(fmt::format("transfers and collectives need {} GPUs, and this machine has {}: nothing was measured", std::max(ranks, 2), count));
  owned_ = std::make_shared<const Owned>(ranks);
}

const GroupSide& DeviceGroup::side(int rank) const { return owned_->sides[static_cast<std::size_t>(rank)]; }

const StartGate& DeviceGroup::gate() const { return owned_->gate; }

void DeviceGroup::on_all(const std::function<void(int)>& work) const {
  std::vector<std::exception_ptr> failures(static_cast<std::size_t>(ranks_));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks_; ++rank)
    threads.emplace_back([&, rank] {
      try {
        check(cudaSetDevice(rank));
        work(rank);
      } catch (...) {
        failures[static_cast<std::size_t>(rank)] = std::current_exception();
      }
    });
  for (auto& thread : threads) thread.join();
  for (const auto& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

void refresh(const GroupSide& side, std::size_t send_bytes, std::size_t receive_bytes, std::uint64_t seed) {
  fill_normal(reinterpret_cast<__nv_bfloat16*>(side.send), send_bytes / 2, 1, seed * 64 + static_cast<std::uint64_t>(side.device), side.stream);
  poison(reinterpret_cast<__nv_bfloat16*>(side.receive), receive_bytes / 2, side.stream);
  check(cudaStreamSynchronize(side.stream));
}

}  // namespace rackwright::kernels
