#pragma once

#include <filesystem>

#include "models/base/diagnostic.h"
#include "models/cost/operator_profile.h"
#include "models/llm/sharding.h"

namespace rackwright::cost {

/// Reads the operator profile of one model and tensor degree that LLMServingSim's profiler takes of vLLM:
///   meta.yaml          the GPU and the model; its uneven-batch fit, in proportion to the whole batch, is not taken
///   dense.csv          layer,tokens,time_us: one call of each layer's dense operators
///   per_sequence.csv   layer,sequences,time_us: LM head and sampler
///   attention.csv      prefill_chunk,kv_prefill,n_decode,kv_decode,time_us: one layer's attention over a mixed batch
/// The files do not say the shapes they were taken for, so `sharded` does: one device's share of that model.
OperatorProfile read_vllm_profile(const std::filesystem::path& folder, const llm::ShardedShape& sharded, Diagnostics& diagnostics);

}  // namespace rackwright::cost
