#include "models/kernels/pair/collectives.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "models/kernels/device/check.h"
#include "models/kernels/measure/accuracy.h"
#include "models/kernels/pair/nccl_pair.h"
#include "models/kernels/pair/nccl_version.h"
#include "models/kernels/pair/one_shot_all_reduce.h"

namespace rackwright::kernels {
namespace {

enum class Collective { all_reduce, all_gather, reduce_scatter, all_to_all, send_recv };
constexpr Collective collectives[] = {Collective::all_reduce, Collective::all_gather, Collective::reduce_scatter, Collective::all_to_all, Collective::send_recv};

const char* name_of(Collective op) {
  switch (op) {
    case Collective::all_reduce: return "all_reduce";
    case Collective::all_gather: return "all_gather";
    case Collective::reduce_scatter: return "reduce_scatter";
    case Collective::all_to_all: return "all_to_all";
    case Collective::send_recv: return "send_recv";
  }
  return "";
}

/// `bytes` as in profiles/FORMAT.md.
void enqueue(const DevicePair& pair, const NcclPair& nccl, int rank, Collective op, std::size_t bytes) {
  const PairSide& side = pair.side(rank);
  const std::size_t count = bytes / 2;
  const ncclComm_t comm = nccl.of(rank);
  switch (op) {
    case Collective::all_reduce: check_nccl(ncclAllReduce(side.send, side.receive, count, ncclBfloat16, ncclSum, comm, side.stream)); break;
    case Collective::all_gather: check_nccl(ncclAllGather(side.send, side.receive, count / 2, ncclBfloat16, comm, side.stream)); break;
    case Collective::reduce_scatter: check_nccl(ncclReduceScatter(side.send, side.receive, count / 2, ncclBfloat16, ncclSum, comm, side.stream)); break;
    case Collective::all_to_all:
      check_nccl(ncclGroupStart());
      for (int other = 0; other < 2; ++other) {
        check_nccl(ncclSend(side.send + other * bytes / 2, count / 2, ncclBfloat16, other, comm, side.stream));
        check_nccl(ncclRecv(side.receive + other * bytes / 2, count / 2, ncclBfloat16, other, comm, side.stream));
      }
      check_nccl(ncclGroupEnd());
      break;
    case Collective::send_recv:
      if (rank == 0) check_nccl(ncclSend(side.send, count, ncclBfloat16, 1, comm, side.stream));
      else check_nccl(ncclRecv(side.receive, count, ncclBfloat16, 0, comm, side.stream));
      break;
  }
}

std::vector<float> head(const std::byte* from, std::size_t count) {
  std::vector<__nv_bfloat16> raw(count);
  check(cudaMemcpy(raw.data(), from, count * 2, cudaMemcpyDeviceToHost));
  return {raw.begin(), raw.end()};
}

/// Compares up to 4096 elements at the start of rank 1's result with what they must be.
void require_correct(const DevicePair& pair, Collective op, std::size_t bytes) {
  const std::size_t count = std::min<std::size_t>(bytes / 2, 4096);
  const auto first = head(pair.side(0).send, bytes / 2 > 8192 ? 8192 : bytes / 2), second = head(pair.side(1).send, bytes / 2 > 8192 ? 8192 : bytes / 2);
  std::vector<float> expected;
  std::size_t start = 0;  // in elements, of the part that is compared
  switch (op) {
    case Collective::all_reduce:
      for (std::size_t i = 0; i < count; ++i) expected.push_back(first[i] + second[i]);
      break;
    case Collective::all_gather:
      expected.assign(first.begin(), first.begin() + static_cast<long>(count / 2));
      break;
    case Collective::reduce_scatter:
    case Collective::all_to_all: {
      // Rank 1 gets the second halves: of the sum, or rank 0's in its first place.
      start = bytes / 4;
      const std::size_t part = count / 2;
      const auto a = head(pair.side(0).send + 2 * start, part), b = head(pair.side(1).send + 2 * start, part);
      for (std::size_t i = 0; i < part; ++i) expected.push_back(op == Collective::reduce_scatter ? a[i] + b[i] : a[i]);
      break;
    }
    case Collective::send_recv:
      expected.assign(first.begin(), first.begin() + static_cast<long>(count));
      break;
  }
  const auto actual = head(pair.side(1).receive, expected.size());
  const double error = relative_error(actual, expected);
  if (!(error <= 1e-2)) throw DeviceError(fmt::format("wrong result: relative error {}", error));
}

/// Powers of two from 1 KiB to `largest`, and what a tensor-parallel layer of width 8192 sends for the
/// decode buckets of the serving engine between them.
std::vector<std::size_t> message_sizes(std::size_t largest) {
  std::set<std::size_t> sizes;
  for (std::size_t bytes = 1024; bytes <= largest; bytes *= 2) sizes.insert(bytes);
  for (std::size_t tokens : {12, 24, 40, 48, 56, 72, 80, 384, 640, 768, 1280, 1536, 1792}) sizes.insert(tokens * 8192 * 2);
  return {sizes.begin(), sizes.end()};
}

std::vector<std::size_t> thinned_sizes(const std::vector<std::size_t>& sizes, int every) {
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < sizes.size(); i += static_cast<std::size_t>(every)) kept.push_back(sizes[i]);
  return kept;
}

class FlagPair {
 public:
  explicit FlagPair(const DevicePair& pair) {
    pair.on_both([&](int rank) {
      check(cudaMalloc(reinterpret_cast<void**>(&flags_[rank]), sizeof(MeetingFlags)));
      check(cudaMemset(flags_[rank], 0, sizeof(MeetingFlags)));
      check(cudaDeviceSynchronize());
    });
  }
  ~FlagPair() {
    for (MeetingFlags* flags : flags_) cudaFree(flags);
  }
  FlagPair(const FlagPair&) = delete;
  FlagPair& operator=(const FlagPair&) = delete;
  MeetingFlags* of(int rank) const { return flags_[rank]; }

 private:
  MeetingFlags* flags_[2] = {};
};

void time_collective(const DevicePair& pair, ProfileTable& table, const std::string& impl, Collective op, std::size_t bytes, bool graph,
                     std::uint64_t seed, const std::function<void(int)>& enqueue) {
  const std::vector<std::string> shape{impl, name_of(op), "2", fmt::format("{}", bytes)};
  try {
    pair.refresh(bytes, seed + bytes);
    const TimedResult result = time_pair(pair, {enqueue, true, graph});
    pair.refresh(bytes, seed + bytes + 1);
    pair.on_both([&](int rank) {
      enqueue(rank);
      check(cudaStreamSynchronize(pair.side(rank).stream));
    });
    require_correct(pair, op, bytes);
    table.add(shape, result);
  } catch (const DeviceError& error) {
    table.skip(shape, graph ? "graph" : "eager", error.what());
  }
}

}  // namespace

std::string nccl_version() {
  int version = 0;
  check_nccl(ncclGetVersion(&version));
  return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

void measure_collectives(const DevicePair& pair, const PairOptions& options, ProfileTable& table, const std::function<void()>& save) {
  {
    const NcclPair nccl(pair);
    for (const Collective op : collectives) {
      for (std::size_t bytes : thinned_sizes(message_sizes(DevicePair::buffer_bytes), options.every))
        for (const bool graph : {true, false})
          time_collective(pair, table, "nccl", op, bytes, graph, options.seed, [&](int rank) { enqueue(pair, nccl, rank, op, bytes); });
      save();
    }
  }
  const FlagPair flags(pair);
  constexpr std::size_t largest = 64u << 20;
  for (std::size_t bytes : thinned_sizes(message_sizes(largest), options.every))
    time_collective(pair, table, "one_shot", Collective::all_reduce, bytes, true, options.seed, [&](int rank) {
      const PairSide &mine = pair.side(rank), &peer = pair.side(1 - rank);
      one_shot_all_reduce(reinterpret_cast<const __nv_bfloat16*>(mine.send), reinterpret_cast<const __nv_bfloat16*>(peer.send),
                          reinterpret_cast<__nv_bfloat16*>(mine.receive), bytes / 2, flags.of(rank), flags.of(1 - rank), mine.stream);
    });
}

}  // namespace rackwright::kernels
