#include "models/kernels/shapes/group_cases.h"

#include <set>

#include "models/base/invariant.h"

namespace rackwright::kernels {
namespace {

constexpr std::size_t KiB = 1024;
constexpr std::size_t MiB = 1024 * KiB;

}  // namespace

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

std::vector<ExpectedPart> expected_parts(Collective op, int ranks, int rank, std::size_t elements) {
  invariant(elements % static_cast<std::size_t>(ranks) == 0, "the ranks divide the buffer");
  const std::size_t part = elements / static_cast<std::size_t>(ranks);
  const std::size_t own = static_cast<std::size_t>(rank) * part;
  std::vector<ExpectedPart> parts;
  switch (op) {
    case Collective::all_reduce: return {{0, elements, 0, 0, ranks}};
    case Collective::reduce_scatter: return {{0, part, own, 0, ranks}};
    case Collective::all_gather:
      for (int source = 0; source < ranks; ++source) parts.push_back({static_cast<std::size_t>(source) * part, part, 0, source, 1});
      return parts;
    case Collective::all_to_all:
      for (int source = 0; source < ranks; ++source) parts.push_back({static_cast<std::size_t>(source) * part, part, own, source, 1});
      return parts;
    case Collective::send_recv:
      if (rank % 2 == 1) parts.push_back({0, elements, 0, rank - 1, 1});
      return parts;
  }
  return parts;
}

std::vector<int> group_sizes(int gpus) {
  std::vector<int> sizes;
  for (int size = 2; size <= gpus; size *= 2) sizes.push_back(size);
  return sizes;
}

std::vector<std::size_t> collective_sizes(std::size_t largest, int every) {
  std::set<std::size_t> sizes;
  for (std::size_t bytes = KiB; bytes <= largest; bytes *= 2) sizes.insert(bytes);
  for (std::size_t tokens : {12, 24, 40, 48, 56, 72, 80, 384, 640, 768, 1280, 1536, 1792}) sizes.insert(tokens * 8192 * 2);
  std::vector<std::size_t> kept;
  std::size_t index = 0;
  for (const std::size_t bytes : sizes)
    if (index++ % static_cast<std::size_t>(every) == 0) kept.push_back(bytes);
  return kept;
}

int CopyInto::place_of(int gpu, int gpus) const {
  const int place = (gpu - first_source + gpus) % gpus;
  return place < sources ? place : -1;
}

std::vector<CopyInto> peer_matrix(int gpus) {
  std::vector<CopyInto> copies;
  if (gpus < 3) return copies;
  for (int from = 0; from < gpus; ++from)
    for (int to = 0; to < gpus; ++to)
      if (from != to)
        for (const std::size_t bytes : {KiB, 64 * KiB, MiB, 16 * MiB, 256 * MiB, 1024 * MiB}) copies.push_back({to, from, 1, bytes});
  return copies;
}

std::vector<CopyInto> fan_ins(int gpus) {
  std::set<int> counts;
  for (int sources = 2; sources < gpus; sources *= 2) counts.insert(sources);
  if (gpus > 2) counts.insert(gpus - 1);
  std::vector<CopyInto> all;
  for (int target = 0; target < gpus; ++target)
    for (const int sources : counts)
      for (const std::size_t bytes : {64 * KiB, MiB, 16 * MiB, 128 * MiB}) all.push_back({target, (target + 1) % gpus, sources, bytes});
  return all;
}

}  // namespace rackwright::kernels
