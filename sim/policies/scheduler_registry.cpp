#include "sim/policies/scheduler_registry.h"

#include <algorithm>
#include <array>

#include "sim/policies/distserve_policy.h"
#include "sim/policies/orca_policy.h"
#include "sim/policies/prefill_first_policy.h"
#include "sim/policies/sarathi_policy.h"
#include "sim/policies/sglang_policy.h"
#include "sim/policies/static_policy.h"
#include "sim/policies/vllm_v1_policy.h"

namespace rackwright::policies {
namespace {

using Names = std::string_view;
constexpr std::array vllm_v1_options{Names{"token_budget"}, Names{"max_sequences"}, Names{"long_prefill_threshold"},
                                     Names{"watermark_blocks"}, Names{"chunked_prefill"}, Names{"order"}};
constexpr std::array sarathi_options{Names{"token_budget"}, Names{"max_sequences"}, Names{"watermark_blocks"}, Names{"steps"}};
constexpr std::array prefill_first_options{Names{"token_budget"}, Names{"max_sequences"}, Names{"watermark_blocks"}, Names{"prompt_count"}};
constexpr std::array orca_options{Names{"max_sequences"}, Names{"reserve_tokens"}};
constexpr std::array static_options{Names{"max_sequences"}};
constexpr std::array sglang_options{Names{"token_budget"}, Names{"max_sequences"}};
constexpr std::array distserve_options{Names{"token_budget"}, Names{"max_sequences"}, Names{"context_budget"}};

template <class Value>
void take(Value& into, const std::optional<Value>& given) {
  if (given) into = *given;
}

/// Hands on what the policy's options have a place for.
template <class Policy, class Options>
std::shared_ptr<const serving::SchedulerPolicy> make(const SchedulerOptions& given) {
  Options options;
  take(options.max_sequences, given.max_sequences);
  if constexpr (requires { options.token_budget; }) take(options.token_budget, given.token_budget);
  if constexpr (requires { options.watermark_blocks; }) take(options.watermark_blocks, given.watermark_blocks);
  if constexpr (requires { options.long_prefill_threshold; }) take(options.long_prefill_threshold, given.long_prefill_threshold);
  if constexpr (requires { options.chunked_prefill; }) take(options.chunked_prefill, given.chunked_prefill);
  if constexpr (requires { options.order; }) take(options.order, given.order);
  if constexpr (requires { options.prompt_count; }) take(options.prompt_count, given.prompt_count);
  if constexpr (requires { options.steps; }) take(options.steps, given.steps);
  if constexpr (requires { options.reserve_tokens; }) take(options.reserve_tokens, given.reserve_tokens);
  if constexpr (requires { options.context_budget; }) take(options.context_budget, given.context_budget);
  return std::make_shared<Policy>(options);
}

// One line a policy; a new one is its own file and a line here.
const std::array entries{
    SchedulerEntry{"vllm-v1", "vLLM v1: one token budget, running requests first, chunked prefill, preemption by recompute",
                   vllm_v1_options, make<VllmV1Policy, VllmV1Options>},
    SchedulerEntry{"prefill-first", "vLLM v0: whole prompts before decodes, never both in one step",
                   prefill_first_options, make<PrefillFirstPolicy, PrefillFirstOptions>},
    SchedulerEntry{"sarathi", "Sarathi-Serve: all decodes, then prompts in what the token budget leaves", sarathi_options,
                   make<SarathiPolicy, SarathiOptions>},
    SchedulerEntry{"orca", "Orca: whole prompts beside the decodes, memory set aside at admission", orca_options, make<OrcaPolicy, OrcaOptions>},
    SchedulerEntry{"static", "FasterTransformer: a batch runs to its end before the next begins", static_options, make<StaticPolicy, StaticOptions>},
    SchedulerEntry{"sglang", "SGLang: prompts first, admission by the tokens that may still come", sglang_options, make<SglangPolicy, SglangOptions>},
    SchedulerEntry{"distserve", "DistServe's simulator: whole prompts first, decodes in turn while their contexts fit a budget, memory without end",
                   distserve_options, make<DistServePolicy, DistServeOptions>},
};

}  // namespace

std::span<const SchedulerEntry> schedulers() { return entries; }

const SchedulerEntry* find_scheduler(std::string_view name) {
  const auto found = std::ranges::find(entries, name, &SchedulerEntry::name);
  return found == entries.end() ? nullptr : &*found;
}

}  // namespace rackwright::policies
