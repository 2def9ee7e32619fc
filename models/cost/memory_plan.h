#pragma once

#include <optional>
#include <string>

#include "models/base/diagnostic.h"
#include "models/hardware/device_spec.h"
#include "models/llm/kv_layout.h"
#include "models/llm/sharding.h"

namespace rackwright::cost {

/// How an instance uses the memory of its devices.
struct MemorySpec {
  double utilization = 0.9;  ///< Share of a device's memory that the engine may take (vLLM's default to 0.18).
  llm::KvLayout kv_layout = {};  ///< Blocks of 16 tokens are vLLM's default.
  int max_tokens = 8192;     ///< Most tokens of a step.
  int max_sequences = 256;   ///< Most sequences of a step.
  std::optional<double> activation_bytes = {};  ///< Absent: estimated, see memory_plan.
  /// Communication buffers and workspaces of libraries; CUDA's own context and graphs come out of what `utilization` leaves.
  /// vLLM logs 0.05 to 0.20 GiB as non-torch memory.
  double runtime_bytes = 0.2 * (1 << 30);
};

/// What lies where in the memory of the fullest device.
struct MemoryPlan {
  double memory_bytes = 0;      ///< Of the device.
  double usable_bytes = 0;      ///< utilization of it.
  double weight_bytes = 0;
  double activation_bytes = 0;
  double runtime_bytes = 0;
  double kv_bytes = 0;          ///< What remains, in whole blocks.
  double kv_block_bytes = 0;
  std::int64_t kv_blocks = 0;   ///< Of each data or context rank.
  std::int64_t kv_tokens = 0;   ///< Of each data or context rank, of sequences within every window.
};

/// Divides the memory. Nothing is returned, and an error names the term that does not fit, when not one block remains.
///
/// Activations are estimated as the greater of two live sets that vLLM's profiling run reaches:
///  - the widest point of a layer: max_tokens · (2·hidden + 3·width) activations, width that of the dense network or of the
///    chosen experts' rows;
///  - sampling: ten fp32 copies of the logits of max_sequences rows, which data ranks share.
/// Llama-3-8B with 8,192 tokens and 256 sequences: 1.22 GiB, where vLLM logged 1.26 (vllm pull request 10511).
std::optional<MemoryPlan> memory_plan(const llm::ShardedShape& sharded, const hardware::DeviceSpec& device, const MemorySpec& spec,
                                      const Location& where, const std::string& path, Diagnostics& diagnostics);

}  // namespace rackwright::cost
