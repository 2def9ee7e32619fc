#pragma once

#include <cstddef>
#include <vector>

namespace rackwright::kernels {

/// The collectives of a group of GPUs; `bytes` of each as in profiles/FORMAT.md.
enum class Collective { all_reduce, all_gather, reduce_scatter, all_to_all, send_recv };
inline constexpr Collective collectives[] = {Collective::all_reduce, Collective::all_gather, Collective::reduce_scatter, Collective::all_to_all,
                                             Collective::send_recv};
const char* name_of(Collective op);

/// Elements [at, at + count) of a rank's result are the sum, over `sources` ranks from `first_source` on, of their inputs'
/// elements [from, from + count).
struct ExpectedPart {
  std::size_t at = 0;
  std::size_t count = 0;
  std::size_t from = 0;
  int first_source = 0;
  int sources = 1;
  bool operator==(const ExpectedPart&) const = default;
};

/// What `rank` of `ranks` must hold after a collective over `elements` per whole buffer, which the ranks divide. Empty for a
/// rank that receives nothing. A send goes from every even rank to the next, all at once.
std::vector<ExpectedPart> expected_parts(Collective op, int ranks, int rank, std::size_t elements);

/// How many of a machine's GPUs take part in the collectives: 2, 4, 8 … up to all. Empty for one GPU.
std::vector<int> group_sizes(int gpus);

/// Powers of two from 1 KiB to `largest`, and what a tensor-parallel layer of width 8192 sends for the decode buckets of
/// the serving engine between them; every n-th of them.
std::vector<std::size_t> collective_sizes(std::size_t largest, int every);

/// `sources` GPUs, in a circle from `first_source` on, copy `bytes` each into `target` at once.
struct CopyInto {
  int target = 0;
  int first_source = 1;
  int sources = 1;
  std::size_t bytes = 0;

  int source(int place, int gpus) const { return (first_source + place) % gpus; }
  /// Which source a GPU is; -1 for one that sends nothing.
  int place_of(int gpu, int gpus) const;
};

/// Every ordered pair of three GPUs or more, each with sizes from the latency of a small message to the bandwidth of 1 GiB.
/// Empty for two, between which more is measured than this (pair/peer_families.h).
std::vector<CopyInto> peer_matrix(int gpus);

/// Into every GPU from the 2, 4 … after it, and from all others: one alone is of the matrix. Empty for two GPUs.
std::vector<CopyInto> fan_ins(int gpus);

}  // namespace rackwright::kernels
