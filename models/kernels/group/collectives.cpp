#include "models/kernels/group/collectives.h"

#include <fmt/format.h>

#include "models/kernels/device/check.h"
#include "models/kernels/group/group_timing.h"
#include "models/kernels/group/landed.h"
#include "models/kernels/group/nccl_group.h"
#include "models/kernels/group/nccl_version.h"
#include "models/kernels/pair/one_shot_all_reduce.h"
#include "models/kernels/shapes/group_cases.h"

namespace rackwright::kernels {
namespace {

/// `bytes` as in profiles/FORMAT.md.
void enqueue(const DeviceGroup& group, const NcclGroup& nccl, int rank, Collective op, std::size_t bytes, std::size_t offset) {
  const GroupSide& side = group.side(rank);
  const std::byte* send = side.send + offset;
  std::byte* receive = side.receive + offset;
  const int ranks = group.ranks();
  const std::size_t count = bytes / 2;
  const std::size_t part = count / static_cast<std::size_t>(ranks);
  const ncclComm_t comm = nccl.of(rank);
  switch (op) {
    case Collective::all_reduce: check_nccl(ncclAllReduce(send, receive, count, ncclBfloat16, ncclSum, comm, side.stream)); break;
    case Collective::all_gather: check_nccl(ncclAllGather(send, receive, part, ncclBfloat16, comm, side.stream)); break;
    case Collective::reduce_scatter: check_nccl(ncclReduceScatter(send, receive, part, ncclBfloat16, ncclSum, comm, side.stream)); break;
    case Collective::all_to_all:
      check_nccl(ncclGroupStart());
      for (int other = 0; other < ranks; ++other) {
        const std::size_t at = 2 * part * static_cast<std::size_t>(other);
        check_nccl(ncclSend(send + at, part, ncclBfloat16, other, comm, side.stream));
        check_nccl(ncclRecv(receive + at, part, ncclBfloat16, other, comm, side.stream));
      }
      check_nccl(ncclGroupEnd());
      break;
    case Collective::send_recv:
      if (rank % 2 == 0) check_nccl(ncclSend(send, count, ncclBfloat16, rank + 1, comm, side.stream));
      else check_nccl(ncclRecv(receive, count, ncclBfloat16, rank - 1, comm, side.stream));
      break;
  }
}

/// Flags in the memory of both devices of a pair.
class FlagPair {
 public:
  explicit FlagPair(const DeviceGroup& pair) {
    pair.on_all([&](int rank) {
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

/// One size of one collective, as `impl` does it.
struct Case {
  const char* impl;
  Collective op;
  std::size_t bytes;
};

void time_collective(const DeviceGroup& group, const Case& c, std::uint64_t seed, ProfileTable& table,
                     const std::function<void(int rank, std::size_t offset)>& enqueue) {
  const int ranks = group.ranks();
  const std::vector<std::string> shape{c.impl, name_of(c.op), fmt::format("{}", ranks), fmt::format("{}", c.bytes)};
  GroupCall call;
  call.enqueue = enqueue;
  call.wrong = [&](int rank, std::size_t offset) {
    unsigned long long words = 0;
    for (const ExpectedPart& part : expected_parts(c.op, ranks, rank, c.bytes / 2))
      words += wrong_words(group, offset, part, group.side(rank).receive + offset, group.side(rank).stream);
    return words;
  };
  call.bytes = c.bytes;
  call.seed = seed + c.bytes;
  try {
    table.add(shape, time_group(group, call));
  } catch (const DeviceError& error) {
    table.skip(shape, name_of(call.mode), error.what());
  }
}

void measure_nccl(const DeviceGroup& group, const GroupOptions& options, ProfileTable& table, const SaveTable& save) {
  const NcclGroup nccl(group);
  for (const Collective op : collectives) {
    for (const std::size_t bytes : collective_sizes(DeviceGroup::buffer_bytes, options.every))
      time_collective(group, {"nccl", op, bytes}, options.seed, table,
                      [&](int rank, std::size_t offset) { enqueue(group, nccl, rank, op, bytes, offset); });
    save();
  }
}

void measure_one_shot(const DeviceGroup& pair, const GroupOptions& options, ProfileTable& table) {
  const FlagPair flags(pair);
  constexpr std::size_t largest = 64u << 20;
  for (const std::size_t bytes : collective_sizes(largest, options.every))
    time_collective(pair, {"one_shot", Collective::all_reduce, bytes}, options.seed, table, [&](int rank, std::size_t offset) {
      const GroupSide &mine = pair.side(rank), &peer = pair.side(1 - rank);
      one_shot_all_reduce(reinterpret_cast<const __nv_bfloat16*>(mine.send + offset), reinterpret_cast<const __nv_bfloat16*>(peer.send + offset),
                          reinterpret_cast<__nv_bfloat16*>(mine.receive + offset), bytes / 2, flags.of(rank), flags.of(1 - rank), mine.stream);
    });
}

}  // namespace

std::string nccl_version() {
  int version = 0;
  check_nccl(ncclGetVersion(&version));
  return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

void measure_collectives(const DeviceGroup& group, const GroupOptions& options, ProfileTable& table, const SaveTable& save) {
  for (const int size : group_sizes(group.ranks())) measure_nccl(group.first(size), options, table, save);
  measure_one_shot(group.first(2), options, table);
}

}  // namespace rackwright::kernels
