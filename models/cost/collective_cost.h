#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/cost/collective_fit.h"
#include "models/cost/step_cost.h"
#include "models/llm/operator.h"

namespace rackwright::cost {

/// How the all-reduce of a tensor group runs inside one scale-up domain.
///  best_known   nobody said: the library where it was measured, else the faster of the two
///  nccl         the library's best algorithm and protocol
///  peer_memory  kernels that read and write peers directly for messages below ScaleUpSpec::peer_limit_bytes, the library above
enum class AllReduce { best_known, nccl, peer_memory };

/// Times of one collective fitted to published or measured ones, in place of NCCL's own constants.
struct FittedCollective {
  llm::OperatorKind kind = llm::OperatorKind::all_reduce;
  int ranks = 0;
  CollectiveFit fit;
};

/// What joins the devices of one scale-up domain. Latencies are NCCL's own tuning constants (src/graph/tuning.cc,
/// 2026-06). ring_fraction: 366 of 450 GB/s bus bandwidth, 8 H200 without NVLS. The peer-memory constants follow the
/// published times of vLLM's kernels on 8 H100 inside a CUDA graph (4.7 us up to 2 KiB, 19.4 us for 2 MiB, 178 us for
/// 32 MiB), and 0.76 is what register copies reach of a link (ParallelKittens, table 1). vLLM's kernels take messages below 8 MiB,
/// over NVLink among up to eight devices, over PCIe between two (custom_all_reduce.py, should_custom_ar and max_size).
struct ScaleUpSpec {
  std::string name;
  double bytes_per_s = 0;         ///< Per direction and device.
  double ring_fraction = 0.8;     ///< Of bytes_per_s, that rings and point-to-point copies reach.
  double ll_bytes_per_s = 141e9;  ///< Bus bandwidth of the LL protocol at most.
  double base_ll_s = 6.6e-6;
  double base_ll128_s = 14e-6;
  double base_simple_s = 8.4e-6;
  double hop_ll_s = 0.6e-6;       ///< Per step of a ring.
  double hop_ll128_s = 1.9e-6;
  double hop_simple_s = 3.4e-6;
  double tree_hop_ll_s = 0.6e-6;
  bool in_fabric_reduction = false;   ///< NVLS: switches sum and multicast.
  double in_fabric_fraction = 0.565;  ///< Of bytes_per_s, that such an all-reduce moves of its buffer.
  double in_fabric_s = 25e-6;         ///< Added to base_simple_s.
  AllReduce all_reduce = AllReduce::best_known;
  double peer_limit_bytes = 8 * 1024 * 1024;
  int peer_most_ranks = 0;  ///< Devices that such kernels join at most; 0: all of the domain.
  double one_shot_s = 4.7e-6;
  double two_shot_s = 8.7e-6;
  double peer_fraction = 0.76;
  std::vector<FittedCollective> fits;

  /// Experts and tensor groups may have more ranks than one domain holds. A tensor group's collectives then take what
  /// node_collectives.h says; an exchange with experts takes ExchangeFit's time, whose floor is the mean of those fitted to DeepEP's dispatch (37 us) and combine (19 us) over 16 to 256 H800.
  int domain_ranks = 0;            ///< 0: the domain holds them all.
  double remote_bytes_per_s = 0;   ///< Of one device into the network.
  bool network_reduces = false;    ///< Its switches sum what passes them (SHARP).
  double exchange_floor_s = 28e-6;
  /// Given: every collective of the library is a ring whose steps take this and their bytes at the whole of bytes_per_s; of what is
  /// above only kernels over peers' memory count.
  std::optional<double> ring_step_s;
};

/// The constants of a named link technology, with the fits to published_collectives() on it: "NVLink3", "nvlink4", "nvlink5",
/// "PCIe 5" …; letter case and spaces do not matter. A link of another width than the published one counts in proportion.
/// Other names get the constants of a point-to-point mesh without in-fabric reduction.
ScaleUpSpec scale_up_spec(const std::string& link, double bytes_per_s);

struct CollectiveTime {
  double seconds = 0;
  Provenance provenance = Provenance::datasheet;  ///< Calibrated where a fit gave it.
};

/// Whether an engine's own kernels do this collective.
bool runs_over_peer_memory(const ScaleUpSpec& scale_up, const llm::Operator& op);

/// One collective of `op.ranks` devices. `op.message_bytes` is the size of one rank's whole buffer. Numbers of ranks without
/// a fit of their own take that of the nearest, times what NCCL's constants say of the two.
CollectiveTime collective_time(const ScaleUpSpec& scale_up, const llm::Operator& op);
inline double collective_seconds(const ScaleUpSpec& scale_up, const llm::Operator& op) { return collective_time(scale_up, op).seconds; }

}  // namespace rackwright::cost
