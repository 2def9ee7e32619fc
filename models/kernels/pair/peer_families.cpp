#include "models/kernels/pair/peer_families.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "models/kernels/device/arena.h"
#include "models/kernels/device/check.h"
#include "models/kernels/device/device_facts.h"
#include "models/kernels/families/gemm_operation.h"
#include "models/kernels/group/group_timing.h"
#include "models/kernels/group/landed.h"
#include "models/kernels/measure/clock_stamp.h"
#include "models/kernels/measure/graph.h"
#include "models/kernels/measure/pause.h"
#include "models/kernels/pair/peer_transfer.h"

namespace rackwright::kernels {
namespace {

enum class Mechanism { copy_engine, sm_store, tma_store };

const char* name_of(Mechanism mechanism) {
  switch (mechanism) {
    case Mechanism::copy_engine: return "copy_engine";
    case Mechanism::sm_store: return "sm_store";
    case Mechanism::tma_store: return "tma_store";
  }
  return "";
}

/// Kernels are launched by the graphs of a device that moves its own data, copies by its host.
Mode mode_of(Mechanism mechanism) { return mechanism == Mechanism::copy_engine ? Mode::eager : Mode::graph; }

struct Transfer {
  Mechanism mechanism = Mechanism::copy_engine;
  int sms = 0;
  int chunk = 0;  ///< Bytes of one bulk copy.
};

/// From `offset` bytes into the rank's send buffer to the same place in the other's receive buffer.
void enqueue(const DeviceGroup& pair, const Transfer& transfer, int rank, std::size_t offset, std::size_t bytes, cudaStream_t stream) {
  const std::byte* from = pair.side(rank).send + offset;
  std::byte* to = pair.side(1 - rank).receive + offset;
  switch (transfer.mechanism) {
    case Mechanism::copy_engine: check(cudaMemcpyPeerAsync(to, 1 - rank, from, rank, bytes, stream)); break;
    case Mechanism::sm_store: sm_store(from, to, bytes, transfer.sms, stream); break;
    case Mechanism::tma_store: tma_store(from, to, bytes, transfer.sms, transfer.chunk, stream); break;
  }
}

std::vector<Transfer> transfers() {
  std::vector<Transfer> all{{Mechanism::copy_engine, 0, 0}};
  for (int sms : {1, 2, 4, 8, 16, 32, 64, 132}) {
    all.push_back({Mechanism::sm_store, sms, 0});
    for (int chunk : {2048, 16384}) all.push_back({Mechanism::tma_store, sms, chunk});
  }
  return all;
}

}  // namespace

void measure_peer_copies(const DeviceGroup& pair, const GroupOptions& options, ProfileTable& table, const SaveTable& save) {
  int index = 0;
  for (const Transfer& transfer : transfers()) {
    for (std::size_t bytes = 1024; bytes <= DeviceGroup::buffer_bytes; bytes *= 4)
      for (const bool both : {false, true}) {
        if (index++ % options.every != 0) continue;
        const bool usual = transfer.mechanism == Mechanism::copy_engine || transfer.sms == 16 || transfer.sms == 132;
        if (both && !usual) continue;
        const std::vector<std::string> shape{name_of(transfer.mechanism), both ? "both" : "one", fmt::format("{}", transfer.sms),
                                             fmt::format("{}", transfer.chunk), fmt::format("{}", bytes)};
        GroupCall call;
        try {
          call.enqueue = [&](int rank, std::size_t offset) { enqueue(pair, transfer, rank, offset, bytes, pair.side(rank).stream); };
          call.takes_part = [&](int rank) { return rank == 0 || both; };
          call.wrong = [&](int rank, std::size_t offset) {
            const GroupSide& side = pair.side(rank);
            return call.takes_part(1 - rank) ? wrong_words(pair, offset, {0, bytes / 2, 0, 1 - rank, 1}, side.receive + offset, side.stream) : 0;
          };
          call.bytes = bytes;
          call.mode = mode_of(transfer.mechanism);
          call.seed = options.seed + static_cast<std::uint64_t>(index);
          table.add(shape, time_group(pair, call));
        } catch (const DeviceError& error) {
          table.skip(shape, name_of(call.mode), error.what());
        }
      }
    save();
  }
}

void measure_peer_overlap(const DeviceGroup& pair, const GroupOptions& options, ProfileTable& table, const SaveTable& save) {
  check(cudaSetDevice(0));
  Arena arena(std::size_t{8} << 30);
  const BlasLt blas;
  Accuracy accuracy;
  cudaStream_t beside = nullptr;
  check(cudaStreamCreateWithFlags(&beside, cudaStreamNonBlocking));
  const GroupSide& side = pair.side(0);
  std::vector<Transfer> all{{Mechanism::copy_engine, 0, 0}};
  for (int sms : {4, 8, 16, 32, 64}) {
    all.push_back({Mechanism::sm_store, sms, 0});
    all.push_back({Mechanism::tma_store, sms, 16384});
  }
  constexpr std::size_t piece = 64u << 20;
  constexpr int repetitions = 20;
  constexpr double enqueue_us = 100;  ///< For the host, so that the graph is there when its turn comes.
  const DeviceFacts facts = device_facts(0);
  for (const GemmCase& c : {GemmCase{OperandType::bf16, 2048, 28672, 8192}, GemmCase{OperandType::bf16, 64, 28672, 8192}}) {
    const ArenaScope scope(arena);
    GemmOperation product(arena, blas, accuracy, c);
    product.refresh(options.seed, side.stream);
    refresh(side, DeviceGroup::buffer_bytes, DeviceGroup::buffer_bytes, options.seed);
    constexpr int calls = 4;
    const Graph products(side.stream, [&] {
      for (int i = 0; i < calls; ++i) product.launch(i % product.slots(), side.stream);
    });
    ClockStamps clock(facts.sms, repetitions);
    const auto timed = [&](const Transfer* transfer) {
      std::vector<double> us;
      for (int r = 0; r < repetitions; ++r) {
        // Without the rest the product alone, which waits for no transfer, would run on the hottest card.
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        // Transfers for several times as long as the products need, started first.
        if (transfer)
          for (int i = 0; i < 64; ++i) enqueue(pair, *transfer, 0, 0, piece, beside);
        device_pause(enqueue_us, side.stream);
        clock.begin(r, side.stream);
        check(cudaEventRecord(side.begin, side.stream));
        products.launch(side.stream);
        check(cudaEventRecord(side.end, side.stream));
        clock.end(r, side.stream);
        check(cudaStreamSynchronize(side.stream));
        float ms = 0;
        check(cudaEventElapsedTime(&ms, side.begin, side.end));
        us.push_back(1e3 * ms / calls);
        check(cudaStreamSynchronize(beside));
      }
      return TimedResult{name_of(Mode::graph), spread_of(us), repetitions, calls, clock.mean_mhz(repetitions)};
    };
    const auto shape = [&](const char* mechanism, int sms) {
      return std::vector<std::string>{mechanism, fmt::format("{}", sms), "bf16", fmt::format("{}", c.m), fmt::format("{}", c.n), fmt::format("{}", c.k)};
    };
    timed(nullptr);  // warm-up
    table.add(shape("none", 0), timed(nullptr));
    for (const Transfer& transfer : all) table.add(shape(name_of(transfer.mechanism), transfer.sms), timed(&transfer));
    if (const double error = product.error(3 % product.slots(), side.stream); !(error <= product.tolerance()))
      throw DeviceError("wrong product beside a transfer");
    save();
  }
  check(cudaStreamDestroy(beside));
}

}  // namespace rackwright::kernels
