#include "sim/cli/rate_match_lines.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/report/rate_match_text.h"
#include "sim/run/rate_match.h"

namespace rackwright::cli {

std::string rate_match_lines(const scenarios::CheckedScenario& scenario, traces::RequestSource& requests) {
  if (std::ranges::none_of(scenario.spec.pools, &scenarios::PoolSpec::receives_kv)) return {};
  constexpr int looked_at = 1000;
  const run::MeanLengths lengths = run::mean_lengths(requests, looked_at);
  std::string text;
  for (const results::RateMatch& match : run::rate_matches(scenario.spec, scenario.plans, lengths))
    text += fmt::format("{} (mean prompt {:.0f} tokens, output {:.0f})\n", report::rate_match_text(match), lengths.input, lengths.output);
  return text;
}

}  // namespace rackwright::cli
