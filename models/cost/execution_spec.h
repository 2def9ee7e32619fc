#pragma once

#include <vector>

#include "models/cost/context_parallel.h"
#include "models/cost/overlap.h"
#include "models/cost/step_cost.h"

namespace rackwright::cost {

/// How the kernels of a step reach the device: one by one, or as one captured graph.
enum class ExecutionMode { eager, graph };

/// Whether the host prepares the next step while the device works on this one.
///  serial      step = device time + host time
///  overlapped  step = max(device time, host time)
enum class HostOverlap { serial, overlapped };

/// What the LM head sees of a padded step: only the rows that are sampled, or the padding too.
enum class LmHeadRows { sampled, padded };

/// What part of every layer the devices compute: all of it, or one side of attention/feed-forward disaggregation. The
/// attention side has embedding, norms, projections and LM head; the other routers, experts and dense networks.
enum class LayerPart { all, attention, feed_forward };

/// How an instance executes its steps. Sizes are those of captured graphs, ascending; a batch is padded up to the next one,
/// and runs eagerly without padding beyond the largest. An empty list pads nothing.
struct ExecutionSpec {
  ExecutionMode decode = ExecutionMode::graph;   ///< Steps of decodes alone.
  ExecutionMode prefill = ExecutionMode::eager;  ///< Steps that carry prefill.
  std::vector<int> decode_sizes;                 ///< Sequences of steps of decodes alone.
  std::vector<int> mixed_sizes;                  ///< Tokens of steps with prefill, decodes and prefill together.
  /// The same for graphs that pad decodes and prefill apart; used instead of mixed_sizes when both are given.
  std::vector<int> mixed_decode_sizes;
  std::vector<int> mixed_prefill_sizes;
  LmHeadRows lm_head = LmHeadRows::sampled;
  OverlapSpec collectives;                       ///< What hides them.
  ContextExchange context_exchange = ContextExchange::ring;  ///< Where prompts are split over devices.

  double host_time_per_step_s = 0;
  HostOverlap overlap = HostOverlap::serial;
  Provenance host_provenance = Provenance::assumed;
  /// Host time of one launch outside a graph: an eager step lasts at least this long per kernel. Published: 3 to 5 us.
  double launch_s = 4e-6;

  int max_tokens = 8192;    ///< Tokens of a step up to which its cost is tabulated; larger steps are priced one by one, slower.
  int max_sequences = 256;  ///< Most sequences of a step.
  /// Tokens that a step computes of each decoding sequence: one, or those that a draft proposed and one more. Their
  /// KV is read once for all of them.
  int tokens_per_decode = 1;
  LayerPart part = LayerPart::all;
};

/// vLLM v1: decode steps as full graphs of 1, 2, 4, then every 8 up to 256, then every 16 up to 512 sequences; steps with
/// prefill padded to the same sizes in tokens, eager beyond (vllm/config, cudagraph_capture_sizes, 0.11 to 0.19).
/// The host time of a step depends on the host and is left at 0: the scenario gives it.
ExecutionSpec vllm_v1_execution();

/// The next size that holds `n`, or 0 when none does.
int padded(const std::vector<int>& sizes, int n);

}  // namespace rackwright::cost
