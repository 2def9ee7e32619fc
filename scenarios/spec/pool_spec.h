#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/cost/dataflow_plan.h"
#include "models/cost/execution_spec.h"
#include "models/cost/stated_step_cost.h"
#include "models/llm/kv_layout.h"
#include "models/llm/model_shape.h"
#include "models/llm/sharding.h"
#include "scenarios/spec/communication_reader.h"
#include "scenarios/spec/disaggregation_spec.h"
#include "scenarios/spec/hall_spec.h"
#include "scenarios/spec/kv_tier_spec.h"
#include "scenarios/spec/routing_spec.h"
#include "scenarios/spec/scaling_spec.h"
#include "scenarios/spec/speculation_spec.h"

namespace rackwright::scenarios {

struct SchedulerSpec {
  std::string policy;  ///< As written: "vllm-v1".
  std::string order;   ///< "arrival", "priority", "deadline".
  int token_budget = 0;   ///< Most tokens of a step.
  int max_sequences = 0;  ///< Most sequences that run at once.
  int long_prefill_threshold = 0;  ///< Tokens; 0 means no limit.
  int reserve_tokens = 0;          ///< KV tokens set aside at admission; 0 means the request's own.
  bool chunked_prefill = true;
  std::string prompt_count;  ///< "sum", "padded".
  int context_budget = 0;    ///< KV tokens that the decodes of one step attend to at most; 0 means no limit.
  std::string steps;         ///< "hybrid", "alternating".
};

struct KvCacheSpec {
  int block_tokens = 16;
  llm::WindowedRows windowed_rows = llm::WindowedRows::freed;
  double memory_fraction = 0.9;
  double watermark_fraction = 0;
  bool prefix_caching = true;
  std::vector<KvTierSpec> tiers;  ///< Below the devices' memory, the nearest first.
  bool swaps = false;             ///< Preempted sequences go to the first tier.
  std::optional<std::int64_t> blocks;  ///< As given; else what the memory leaves.
};

/// Instances of one model, placed and run alike.
struct PoolSpec {
  std::string name;
  std::string model_name;  ///< As the deployment names it; requests for this model come here.
  llm::ModelShape model;
  llm::Parallelism parallelism;
  std::optional<double> stage_link_bytes_per_s;  ///< Between pipeline stages; absent: the scale-up link.
  DeviceRange devices;
  int instances = 0;
  std::vector<int> starts;  ///< First device of each instance, which takes `devices_per_instance` from there.
  SchedulerSpec scheduler;
  KvCacheSpec kv_cache;
  cost::ExecutionSpec execution;
  CommunicationSpec communication;
  PoolRole role = PoolRole::mixed;
  KvTransferSpec kv_transfer;  ///< How KV comes to a decode pool.
  AdmissionSpec admission;
  std::optional<ScalingSpec> scaling;
  double cost_weight = 1;  ///< Relative cost of a request, for cost-aware routing.
  bool receives_kv = false;    ///< It decodes what a prefill pool has computed.
  std::optional<SpeculationSpec> speculation;
  double client_delay_s = 0;   ///< One way to its clients.
  std::optional<double> quality;  ///< Share of requests that it answers well enough.
  LayerSideSpec side;          ///< Of pools that compute one side of the layers.
  int ranks = 1;               ///< Copies of `parallelism` that make up one instance of the run.
  std::optional<cost::DataflowPlacement> dataflow;  ///< On devices that keep weights on chip, instead of `parallelism`.
  std::optional<cost::StatedStepTimes> step_times;  ///< As the scenario states them; power of one device, 0 for its limit.

  int devices_per_instance() const { return dataflow ? dataflow->devices : llm::device_count(parallelism) * ranks; }
  int first_device(int instance) const { return starts[static_cast<std::size_t>(instance)]; }
};

}  // namespace rackwright::scenarios
