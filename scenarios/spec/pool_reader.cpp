#include "scenarios/spec/pool_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "scenarios/schema/effective.h"
#include "scenarios/schema/scenario.pb.h"
#include "scenarios/spec/dataflow_reader.h"
#include "scenarios/spec/disaggregation_reader.h"
#include "scenarios/spec/execution_reader.h"
#include "scenarios/spec/expert_reader.h"
#include "scenarios/spec/findings.h"
#include "scenarios/spec/kv_tier_reader.h"
#include "scenarios/spec/layer_sides_reader.h"
#include "scenarios/spec/placement.h"
#include "scenarios/spec/routing_reader.h"
#include "scenarios/spec/scaling_reader.h"
#include "scenarios/spec/speculation_reader.h"
#include "scenarios/spec/step_times_reader.h"

namespace rackwright::scenarios {
namespace {

/// What a policy takes when the scenario says nothing: vLLM's API server on devices of 70 GiB or more, Sarathi-Serve's
/// strict chunk, vLLM v0, SGLang's server, and batches that request-level engines were run with.
SchedulerSpec defaults_of(v1::SchedulerPolicy policy) {
  SchedulerSpec scheduler;
  scheduler.token_budget = policy == v1::SCHEDULER_POLICY_SARATHI ? 512 : 8192;
  switch (policy) {
    case v1::SCHEDULER_POLICY_PREFILL_FIRST:
    case v1::SCHEDULER_POLICY_ORCA: scheduler.max_sequences = 256; break;
    case v1::SCHEDULER_POLICY_SARATHI: scheduler.max_sequences = 128; break;
    case v1::SCHEDULER_POLICY_STATIC: scheduler.max_sequences = 64; break;
    default: scheduler.max_sequences = 1024;
  }
  return scheduler;
}

SchedulerSpec scheduler_spec(const v1::Scheduler& written) {
  using Field = v1::Scheduler;
  SchedulerSpec scheduler = defaults_of(effective_choice<v1::SchedulerPolicy>(written, Field::kPolicyFieldNumber));
  scheduler.policy = effective_written(written, Field::kPolicyFieldNumber);
  scheduler.order = effective_written(written, Field::kOrderFieldNumber);
  if (written.has_token_budget()) scheduler.token_budget = written.token_budget();
  if (written.has_max_sequences()) scheduler.max_sequences = written.max_sequences();
  scheduler.long_prefill_threshold = static_cast<int>(effective_count(written, Field::kLongPrefillThresholdFieldNumber));
  scheduler.reserve_tokens = static_cast<int>(effective_count(written, Field::kReserveTokensFieldNumber));
  scheduler.prompt_count = effective_written(written, Field::kPromptCountFieldNumber);
  scheduler.chunked_prefill = effective_truth(written, Field::kChunkedPrefillFieldNumber);
  if (written.has_context_budget()) scheduler.context_budget = written.context_budget();
  scheduler.steps = effective_written(written, Field::kStepsFieldNumber);
  return scheduler;
}

KvCacheSpec kv_cache_spec(const v1::KvCache& written) {
  using Field = v1::KvCache;
  KvCacheSpec kv_cache;
  kv_cache.block_tokens = static_cast<int>(effective_count(written, Field::kBlockTokensFieldNumber));
  if (written.has_memory_fraction()) kv_cache.memory_fraction = written.memory_fraction();
  kv_cache.watermark_fraction = effective_quantity(written, Field::kWatermarkFieldNumber);
  kv_cache.prefix_caching = effective_truth(written, Field::kPrefixCachingFieldNumber);
  if (written.has_blocks()) kv_cache.blocks = written.blocks();
  kv_cache.windowed_rows = effective_choice<v1::WindowedRows>(written, Field::kWindowedRowsFieldNumber) == v1::WINDOWED_ROWS_KEPT ? llm::WindowedRows::kept : llm::WindowedRows::freed;
  kv_cache.swaps = effective_choice<v1::PreemptionRule>(written, Field::kPreemptionFieldNumber) == v1::PREEMPTION_RULE_SWAP;
  return kv_cache;
}

llm::Parallelism parallelism(const v1::Pool& written, const std::string& path, Findings& findings) {
  const auto degree = [&](int field) { return static_cast<int>(effective_count(written, field)); };
  llm::Parallelism degrees;
  degrees.tensor = degree(v1::Pool::kTensorParallelFieldNumber);
  degrees.pipeline = degree(v1::Pool::kPipelineParallelFieldNumber);
  degrees.data = degree(v1::Pool::kDataParallelFieldNumber);
  degrees.context = static_cast<int>(effective_count(written.context_parallel(), v1::ContextParallel::kDegreeFieldNumber));
  constexpr double most_devices = 1e6;  // Above any hall, and low enough that products stay in range.
  if (const double devices = 1.0 * degrees.tensor * degrees.pipeline * degrees.data * degrees.context; devices > most_devices) {
    findings.error(path, fmt::format("the parallel degrees ask for {:.4g} devices an instance, more than any hall has", devices), "lower them");
    return {};
  }
  degrees.expert = degrees.data > 1 ? degrees.tensor * degrees.data : 1;
  if (written.has_expert_parallel()) degrees.expert = written.expert_parallel();
  return degrees;
}

/// Which expert lies on which device is worked out from the degrees before the layers are split by them.
void check_expert_degree(const PoolSpec& pool, const std::string& path, Findings& findings) {
  const llm::Parallelism& degrees = pool.parallelism;
  const int stage = degrees.tensor * degrees.data;
  if (pool.dataflow || degrees.expert == 1 || degrees.expert == stage) return;
  findings.error(path + ".expert_parallel", fmt::format("experts spread over {} devices, but a stage has {}", degrees.expert, stage),
                 "expert parallelism spans tensor_parallel x data_parallel devices, or is 1");
}

/// Whether whole domains make up a stage, over which only experts are spread, and cards join them.
bool spreads_experts(const llm::Parallelism& degrees, const RackGroupSpec& group) {
  const int stage = degrees.tensor * degrees.data;
  return degrees.data > 1 && degrees.expert == stage && group.scale_up_devices % degrees.tensor == 0 && stage % group.scale_up_devices == 0 &&
         group.nic_bytes_per_s && group.nics_per_node > 0;
}

/// Whether a tensor group fills whole domains that cards join, and nothing else is spread over them.
bool spreads_tensor(const PoolSpec& pool, const RackGroupSpec& group) {
  const llm::Parallelism& degrees = pool.parallelism;
  const bool is_one_side = pool.role == PoolRole::attention || pool.role == PoolRole::ffn;
  return degrees.data == 1 && degrees.pipeline == 1 && degrees.context == 1 && !is_one_side && group.scale_up_devices > 1 &&
         degrees.tensor % group.scale_up_devices == 0 && group.nic_bytes_per_s && group.nics_per_node > 0;
}

/// Where instances of `each` devices can start in a range. One that fits a scale-up domain lies inside one; others, and
/// those whose stages only hand over, follow each other.
std::vector<int> possible_starts(const PoolSpec& pool, int each, int domain) {
  const bool packs_domains = !pool.dataflow && pool.parallelism.pipeline == 1 && each <= domain;
  std::vector<int> starts;
  for (int at = pool.devices.first; at + each - 1 <= pool.devices.last;) {
    const int left = domain - at % domain;
    if (packs_domains && left < each) {
      at += left;
      continue;
    }
    starts.push_back(at);
    at += each;
  }
  return starts;
}

/// Takes the pool's devices and says how many instances stand on them.
void place(const v1::Pool& written, const std::string& path, const HallSpec& hall, PoolSpec& pool, Findings& findings) {
  const auto placement = parse_placement(written.on(), hall);
  if (const auto* problem = std::get_if<PlacementProblem>(&placement)) {
    findings.error(path + ".on", problem->message, problem->hint);
    return;
  }
  pool.devices = std::get<DeviceRange>(placement);
  const RackGroupSpec& group = hall.groups[static_cast<std::size_t>(pool.devices.group)];
  read_dataflow(written, path, group, pool, findings);
  if (!pool.dataflow) {
    pool.parallelism.experts = expert_spread(written.experts(), pool.model, group);
    warn_of_idle_experts(written, pool.model, pool.parallelism, path + ".experts", findings);
  }
  const int each = pool.devices_per_instance();
  const int stage = each / pool.parallelism.pipeline;
  if (each > pool.devices.size()) {
    findings.error(path + ".on", fmt::format("an instance takes {} devices, but '{}' has {}", each, written.on(), pool.devices.size()),
                   "name more devices, or lower the parallel degrees");
    return;
  }
  pool.starts = possible_starts(pool, each, group.scale_up_devices);
  const int fitting = static_cast<int>(pool.starts.size());
  if (pool.dataflow) {
    // A pipeline may span racks: its stages hand over, and nothing else passes between them.
  } else if (stage > group.scale_up_devices && (spreads_experts(pool.parallelism, group) || spreads_tensor(pool, group))) {
    if (pool.devices.first % group.scale_up_devices != 0)
      findings.error(path + ".on", fmt::format("an instance over several scale-up domains of '{}' starts inside one", group.name),
                     fmt::format("start the range at a multiple of {}", group.scale_up_devices));
  } else if (stage > group.scale_up_devices) {
    findings.error(path + ".tensor_parallel",
                   fmt::format("{} devices do not fit a scale-up domain of {} on '{}'", stage, group.scale_up_devices, group.name),
                   "where nodes have network cards, a tensor group alone fills whole domains, and experts are spread over whole ones with data_parallel");
  } else if (fitting == 0) {
    findings.error(path + ".on", fmt::format("an instance of {} devices would cross the scale-up domains of {} on '{}'", each,
                                             group.scale_up_devices, group.name),
                   "name devices of one domain");
  } else if (pool.parallelism.pipeline > 1 && (group.scale_up_devices % stage != 0 || pool.devices.first % stage != 0)) {
    findings.error(path + ".on", fmt::format("stages of {} devices would cross the scale-up domains of {} on '{}'", stage, group.scale_up_devices, group.name),
                   fmt::format("start the range at a multiple of {}, with a number that divides the domain", stage));
  } else if (pool.parallelism.pipeline > 1 && !pool.stage_link_bytes_per_s && (group.scale_up_devices % each != 0 || pool.devices.first % each != 0)) {
    findings.error(path + ".stage_link", fmt::format("stages of an instance lie in different scale-up domains of '{}', and nothing says what joins them", group.name),
                   "give the bandwidth of a device's network card, such as 50 GB/s");
  }
  pool.instances = written.has_replicas() ? written.replicas() : fitting;
  if (pool.instances > fitting) {
    findings.error(path + ".replicas", fmt::format("{} instances of {} devices need {}, but '{}' has {}", pool.instances, each,
                                                   pool.instances * each, written.on(), pool.devices.size()),
                   fmt::format("at most {} fit", fitting));
  }
  const int unused = pool.devices.size() - fitting * each;
  if (!written.has_replicas() && unused > 0) {
    findings.warning(path + ".on", fmt::format("{} of {} devices stay unused", unused, pool.devices.size()));
  }
  pool.starts.resize(static_cast<std::size_t>(std::min(pool.instances, fitting)));
  if (!pool.starts.empty()) pool.devices.last = pool.starts.back() + each - 1;
}

void report_overlaps(const std::vector<PoolSpec>& pools, Findings& findings) {
  for (std::size_t i = 0; i < pools.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const DeviceRange& a = pools[j].devices;
      const DeviceRange& b = pools[i].devices;
      if (pools[i].instances == 0 || pools[j].instances == 0 || a.group != b.group) continue;
      if (a.first <= b.last && b.first <= a.last) {
        findings.error(fmt::format("deployment[{}].on", i),
                       fmt::format("device {} is taken by pool '{}' already", std::max(a.first, b.first), pools[j].name),
                       "give each pool devices of its own, or limit 'replicas'");
      }
    }
  }
}

void warn_of_idle_windows(const v1::Pool& written, const llm::ModelShape& model, const std::string& path, Findings& findings) {
  if (!written.kv_cache().has_windowed_rows()) return;
  const auto keeps_all = [](const llm::LayerShape& layer) { return layer.attention.window_tokens == 0; };
  const auto full = std::ranges::count_if(model.layers, keeps_all);
  if (full > 0 && full < std::ssize(model.layers)) return;
  findings.warning(path, fmt::format("no effect: {}, because {} layer of the model has a window", path, full == 0 ? "every" : "no"),
                   full == 0 ? "rows are kept: models without a layer that keeps all are not grouped" : "");
}

/// A mean over all requests needs the quality of every pool that answers some.
void report_partial_quality(const std::vector<PoolSpec>& pools, Findings& findings) {
  const auto answers = [](const PoolSpec& pool) {
    return pool.role == PoolRole::mixed || pool.role == PoolRole::decode || pool.role == PoolRole::attention;
  };
  const auto silent = std::ranges::find_if(pools, [&](const PoolSpec& pool) { return answers(pool) && !pool.quality; });
  if (silent == pools.end()) return;
  for (std::size_t i = 0; i < pools.size(); ++i) {
    if (!pools[i].quality) continue;
    const std::string path = fmt::format("deployment[{}].quality", i);
    findings.warning(path, fmt::format("no effect: {}, because pool '{}' states none", path, silent->name));
  }
}

}  // namespace

std::vector<PoolSpec> pool_specs(const v1::Scenario& scenario, std::span<const std::string> model_names,
                                 const ModelShapes& models, const ModelShapes& drafts, const HallSpec& hall, Findings& findings) {
  std::vector<PoolSpec> pools;
  for (int i = 0; i < scenario.deployment_size(); ++i) {
    const v1::Pool& written = scenario.deployment(i);
    const std::string path = fmt::format("deployment[{}]", i);
    const auto index = static_cast<std::size_t>(i);
    PoolSpec pool;
    pool.name = written.pool();
    if (pool.name.empty()) findings.error(path + ".pool", "a pool needs a name");
    pool.model_name = model_names[index];
    if (models[index]) pool.model = *models[index];
    pool.parallelism = parallelism(written, path, findings);
    if (written.has_stage_link()) pool.stage_link_bytes_per_s = written.stage_link();
    pool.scheduler = scheduler_spec(written.scheduler());
    pool.kv_cache = kv_cache_spec(written.kv_cache());
    pool.kv_cache.tiers = kv_tier_specs(written);
    warn_of_idle_windows(written, pool.model, path + ".kv_cache.windowed_rows", findings);
    check_kv_tiers(written, path, findings);
    pool.execution = execution_spec(written.execution(), pool.scheduler, llm::device_count(pool.parallelism), path + ".execution", findings);
    pool.communication = communication_spec(written.communication(), written.execution(), path + ".communication", findings);
    pool.execution.context_exchange = context_exchange(written.context_parallel());
    pool.role = pool_role(written);
    pool.kv_transfer = kv_transfer_spec(written.kv_transfer());
    pool.side = layer_side_spec(written);
    if (pool.role == PoolRole::mixed) pool.client_delay_s = effective_quantity(written, v1::Pool::kClientDelayFieldNumber);
    if (written.has_quality()) pool.quality = written.quality();
    pool.admission = admission_spec(written.admission());
    pool.cost_weight = effective_quantity(written, v1::Pool::kCostWeightFieldNumber);
    if (written.has_step_times()) {
      pool.step_times = step_times(written.step_times(), path + ".step_times", findings);
      warn_beside_step_times(written, path, findings);
    }
    if (written.has_speculation() && models[index]) {
      pool.speculation = speculation_spec(written.speculation(), pool.model, drafts[index], path + ".speculation", findings);
      pool.execution.tokens_per_decode = pool.speculation->tokens + 1;
    }
    place(written, path, hall, pool, findings);
    check_expert_degree(pool, path, findings);
    pool.scaling = scaling_spec(written, pool.instances, path, findings);
    pools.push_back(std::move(pool));
  }
  report_overlaps(pools, findings);
  report_partial_quality(pools, findings);
  match_roles(pools, findings);
  join_layer_sides(scenario, pools, findings);
  check_drafts(pools, findings);
  return pools;
}

}  // namespace rackwright::scenarios
