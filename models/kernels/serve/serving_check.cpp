#include "models/kernels/serve/serving_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "models/kernels/device/check.h"
#include "models/kernels/measure/accuracy.h"

namespace rackwright::kernels {
namespace {

/// bf16 sums in another order, as for single operators. One key more or less of 8,192 is off by about 1/√8192 = 1.1 %.
constexpr double attention_tolerance = 1e-2;
/// Products of other sizes and attention by another kernel add in another order, and 32 layers carry that on.
constexpr double state_tolerance = 0.2;
/// A row in the wrong place must be off by twice what is tolerated, or the check would not see it. Independent vectors differ
/// by √2; neighbours of one prompt share most of what they attend to, and the nearest of 519 differed by 0.47.
constexpr double least_of_a_mistake = 2 * state_tolerance;

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

class Check {
 public:
  explicit Check(ServingEngine& engine) : engine_(engine) {}

  void padding(const char* name, const StepPlan& plan) {
    const std::vector<int> before = engine_.newest_tokens();
    const StepBucket bucket = bucket_of(static_cast<int>(plan.decodes.size()), plan.prompt_tokens());
    engine_.poison_states();
    engine_.run(plan);
    add(fmt::format("{}: attention", name), engine_.attention_error(plan, bucket), 0, attention_tolerance);
    std::vector<float> padded = engine_.logits(plan, bucket);
    engine_.set_newest_tokens(before);
    engine_.poison_states();
    engine_.run_unpadded(plan);
    const std::vector<float> exact = engine_.logits(plan, {static_cast<int>(plan.decodes.size()), plan.prompt_tokens()});
    add(fmt::format("{}: logits", name), relative_error(padded, exact), 0, state_tolerance);
    if (plan.decodes.size() + plan.chunks.size() < 2) return;
    std::ranges::rotate(padded, padded.begin() + static_cast<std::ptrdiff_t>(engine_.vocabulary()));
    add(fmt::format("{}: logits of the next row", name), relative_error(padded, exact), least_of_a_mistake, {});
  }

  /// Decodes cross the edge of a page and of a part of the keys, at 512.
  void parts_of_a_prompt() {
    constexpr int request = 9, whole = 11, pieces = 60, first = 300, second = 203, tokens = 520;
    engine_.poison_states();
    engine_.run({{}, {{whole, request, 0, tokens, true}}});
    engine_.run({{}, {{pieces, request, 0, first, false}}});
    engine_.run({{{3, 701}, {17, 131}}, {{pieces, request, first, second, true}}});
    for (int position = first + second; position < tokens; ++position) {
      std::vector<int> newest = engine_.newest_tokens();
      newest[pieces] = prompt_token(position, request, static_cast<int>(engine_.vocabulary()));
      engine_.set_newest_tokens(newest);
      engine_.run({{{3, 702}, {pieces, position + 1}, {17, 132}}, {}});
    }
    const auto at_once = engine_.last_keys_and_values(whole, tokens), in_pieces = engine_.last_keys_and_values(pieces, tokens);
    double worst = 0, nearest = relative_error(in_pieces.back(), at_once.front());
    for (std::size_t i = 0; i < at_once.size(); ++i) {
      const double error = relative_error(in_pieces[i], at_once[i]);
      if (!std::isnan(worst) && !(error <= worst)) worst = error;  // NaN stays.
      if (i > 0) nearest = std::min(nearest, relative_error(in_pieces[i - 1], at_once[i]));
    }
    add("a prompt whole, and in parts and tokens: keys and values", worst, 0, state_tolerance);
    add("a prompt whole, and in parts and tokens: keys and values of the token before", nearest, least_of_a_mistake, {});
  }

  std::vector<ServingCheckRow> rows() && { return std::move(rows_); }

 private:
  void add(std::string name, double error, double least, std::optional<double> most) {
    // Not inside, so that NaN fails.
    if (!(error >= least && (!most || error <= *most))) throw DeviceError(fmt::format("{} is off by {:.3g}", name, error));
    rows_.push_back({std::move(name), error, least, most});
  }

  ServingEngine& engine_;
  std::vector<ServingCheckRow> rows_;
};

}  // namespace

std::vector<ServingCheckRow> check_serving(ServingEngine& engine, std::uint64_t seed) {
  Check check(engine);
  for (const auto& [name, plan] : plans()) check.padding(name, plan);
  check.parts_of_a_prompt();
  engine.fill_states(seed);
  return std::move(check).rows();
}

}  // namespace rackwright::kernels
