#include "scenarios/spec/execution_reader.h"

#include <algorithm>
#include <vector>

#include "models/cost/engine_style.h"
#include "scenarios/schema/deployment.pb.h"
#include "scenarios/schema/effective.h"
#include "scenarios/spec/findings.h"
#include "scenarios/spec/pool_spec.h"

namespace rackwright::scenarios {
namespace {

using Field = v1::Execution;

/// Steps of more tokens are priced one by one; a table of any budget that a user may type would fill the memory.
constexpr int most_tabulated_tokens = 32'768;

std::vector<int> sizes(const google::protobuf::RepeatedField<std::int32_t>& written, const std::string& path, Findings& findings) {
  std::vector<int> result(written.begin(), written.end());
  if (!std::ranges::is_sorted(result)) findings.error(path, "the sizes must ascend");
  return result;
}

cost::ExecutionMode mode(const v1::Execution& written, int field) {
  return effective_choice<v1::ExecutionMode>(written, field) == v1::EXECUTION_MODE_EAGER ? cost::ExecutionMode::eager
                                                                                         : cost::ExecutionMode::graph;
}

cost::EngineStyle style(v1::EngineStyle written) {
  if (written == v1::ENGINE_STYLE_SGLANG) return cost::EngineStyle::sglang;
  return written == v1::ENGINE_STYLE_TENSORRT_LLM ? cost::EngineStyle::tensorrt_llm : cost::EngineStyle::vllm;
}

}  // namespace

cost::ExecutionSpec execution_spec(const v1::Execution& written, const SchedulerSpec& scheduler, int devices, const std::string& path,
                                   Findings& findings) {
  cost::ExecutionSpec execution = written.has_engine() ? cost::engine_execution(style(written.engine()), scheduler.max_sequences, devices)
                                                       : cost::vllm_v1_execution();
  if (written.has_decode() || !written.has_engine()) execution.decode = mode(written, Field::kDecodeFieldNumber);
  if (written.has_prefill() || !written.has_engine()) execution.prefill = mode(written, Field::kPrefillFieldNumber);
  if (written.decode_graph_sizes_size() > 0) {
    execution.decode_sizes = sizes(written.decode_graph_sizes(), path + ".decode_graph_sizes", findings);
    // Without decode graphs these sizes are of nothing, and say nothing of other steps.
    if (execution.decode == cost::ExecutionMode::graph) execution.mixed_sizes = execution.decode_sizes;
  }
  if (written.mixed_graph_sizes_size() > 0) {
    execution.mixed_sizes = sizes(written.mixed_graph_sizes(), path + ".mixed_graph_sizes", findings);
  }
  execution.mixed_decode_sizes = sizes(written.mixed_decode_graph_sizes(), path + ".mixed_decode_graph_sizes", findings);
  execution.mixed_prefill_sizes = sizes(written.mixed_prefill_graph_sizes(), path + ".mixed_prefill_graph_sizes", findings);
  execution.lm_head = effective_choice<v1::LmHeadRows>(written, Field::kLmHeadFieldNumber) == v1::LM_HEAD_ROWS_PADDED
                          ? cost::LmHeadRows::padded
                          : cost::LmHeadRows::sampled;
  if (written.has_host_time_per_step()) {
    execution.host_time_per_step_s = written.host_time_per_step();
    execution.host_provenance = cost::Provenance::assumed;
  }
  execution.overlap = effective_choice<v1::HostOverlap>(written, Field::kHostOverlapFieldNumber) == v1::HOST_OVERLAP_OVERLAPPED
                          ? cost::HostOverlap::overlapped
                          : cost::HostOverlap::serial;
  if (written.has_host_overlap() && execution.host_time_per_step_s <= 0)
    findings.warning(path + ".host_overlap", "no effect: " + path + ".host_overlap, because the host takes no time", "give host_time_per_step or an engine");
  execution.launch_s = effective_quantity(written, Field::kLaunchTimeFieldNumber);
  execution.max_tokens = std::min(scheduler.token_budget, most_tabulated_tokens);
  execution.max_sequences = scheduler.max_sequences;
  return execution;
}

}  // namespace rackwright::scenarios
