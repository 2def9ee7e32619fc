#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "sim/policies/prefill_first_policy.h"
#include "sim/policies/queue_order.h"
#include "sim/policies/sarathi_policy.h"
#include "sim/serving/scheduler_policy.h"

namespace rackwright::policies {

/// What a scenario may say about a scheduler; absent where it says nothing, so that each policy has its own defaults.
struct SchedulerOptions {
  std::optional<std::int32_t> token_budget = {};
  std::optional<std::int32_t> max_sequences = {};
  std::optional<std::int32_t> long_prefill_threshold = {};
  std::optional<std::int32_t> reserve_tokens = {};
  std::optional<std::int64_t> watermark_blocks = {};
  std::optional<bool> chunked_prefill = {};
  std::optional<QueueOrder> order = {};
  std::optional<PromptCount> prompt_count = {};
  std::optional<std::int64_t> context_budget = {};
  std::optional<StepKinds> steps = {};
};

struct SchedulerEntry {
  std::string_view name;
  std::string_view help;
  std::span<const std::string_view> options;  ///< Names of the options that it reads; the others have no effect.
  std::shared_ptr<const serving::SchedulerPolicy> (*make)(const SchedulerOptions& options);
};

/// Every scheduler, in the order in which they are listed to users.
std::span<const SchedulerEntry> schedulers();
/// Null when there is none of this name.
const SchedulerEntry* find_scheduler(std::string_view name);

}  // namespace rackwright::policies
