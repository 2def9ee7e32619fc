#pragma once

#include <optional>
#include <string>

#include "models/llm/operator.h"

namespace rackwright::cost {

/// How the all-reduce of a tensor group runs inside one scale-up domain.
///  nccl         the library's best algorithm and protocol
///  peer_memory  kernels that read and write peers directly (as vLLM's and TensorRT-LLM's), where they are faster
enum class AllReduce { nccl, peer_memory };

/// What joins the devices of one scale-up domain. Latencies are NCCL's own tuning constants (src/graph/tuning.cc,
/// 2026-06). ring_fraction: 366 of 450 GB/s bus bandwidth, 8 H200 without NVLS. The peer-memory constants follow the
/// published times of vLLM's kernels on 8 H100 inside a CUDA graph (4.7 us up to 2 KiB, 19.4 us for 2 MiB, 178 us for
/// 32 MiB), and 0.76 is what register copies reach of a link (ParallelKittens, table 1).
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
  AllReduce all_reduce = AllReduce::peer_memory;
  double one_shot_s = 4.7e-6;
  double two_shot_s = 8.7e-6;
  double peer_fraction = 0.76;
  /// Given: every collective is a ring whose steps take this and their bytes at the whole of bytes_per_s; nothing above counts.
  std::optional<double> ring_step_s;
};

/// The constants of a named link technology: "nvlink3", "nvlink4", "nvlink5", "pcie5" …
/// Other names get those of a point-to-point mesh without in-fabric reduction.
ScaleUpSpec scale_up_spec(const std::string& link, double bytes_per_s);

/// Seconds of one collective of `op.ranks` devices. `op.message_bytes` is the size of one rank's whole buffer.
double collective_seconds(const ScaleUpSpec& scale_up, const llm::Operator& op);

}  // namespace rackwright::cost
