#include "models/kernels/serve/serving_check.h"

#include <fmt/format.h>

#include "models/kernels/device/check.h"

namespace rackwright::kernels {
namespace {

/// bf16 sums in another order, as for single operators.
constexpr double attention_tolerance = 1e-2;
/// Products of other sizes add in another order, and 32 layers carry that on: a wrong row, length or page gives an error near 1.
constexpr double logit_tolerance = 0.1;

struct NamedPlan {
  const char* name;
  StepPlan plan;
};

std::vector<NamedPlan> plans() {
  return {{"three prompts", {{}, {{3, 0, 0, 700, true}, {17, 1, 0, 130, true}, {0, 2, 0, 45, true}}}},
          {"one long prompt's second part beside decodes", {{{3, 701}, {17, 131}, {0, 46}}, {{5, 3, 1900, 1301, false}, {79, 4, 0, 1, true}}}},
          {"decodes at the edges of pages and parts", {{{3, 1}, {17, 16}, {0, 17}, {5, 256}, {79, 257}, {40, 3000}, {41, 8192}}, {}}},
          {"one decode", {{{17, 4097}}, {}}}};
}

}  // namespace

std::vector<ServingCheckRow> check_serving(ServingEngine& engine, std::uint64_t seed) {
  std::vector<ServingCheckRow> rows;
  for (const auto& [name, plan] : plans()) {
    const std::vector<int> before = engine.newest_tokens();
    const StepBucket bucket = bucket_of(static_cast<int>(plan.decodes.size()), plan.prompt_tokens());
    engine.poison_states();
    engine.run(plan);
    const double attention = engine.attention_error(plan, bucket);
    const std::vector<float> padded = engine.logits(plan, bucket);
    engine.set_newest_tokens(before);
    engine.poison_states();
    engine.run_unpadded(plan);
    const double logits = relative_error(padded, engine.logits(plan, {static_cast<int>(plan.decodes.size()), plan.prompt_tokens()}));
    rows.push_back({name, attention, logits});
    // Not greater, so that NaN fails.
    if (!(attention <= attention_tolerance) || !(logits <= logit_tolerance))
      throw DeviceError(fmt::format("{}: attention is off by {:.3g}, logits by {:.3g}", name, attention, logits));
  }
  engine.fill_states(seed);
  return rows;
}

}  // namespace rackwright::kernels
