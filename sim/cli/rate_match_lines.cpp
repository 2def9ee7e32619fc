#include "sim/cli/rate_match_lines.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "sim/report/rate_match_text.h"
#include "sim/run/rate_match.h"

namespace rackwright::cli {
namespace {

struct Rates {
  run::MeanLengths lengths;
  std::vector<results::RateMatch> models;
};

Rates rates_of(const scenarios::CheckedScenario& scenario, traces::RequestSource& requests) {
  if (std::ranges::none_of(scenario.spec.pools, &scenarios::PoolSpec::receives_kv)) return {};
  constexpr int looked_at = 1000;
  const run::MeanLengths lengths = run::mean_lengths(requests, looked_at);
  return {lengths, run::rate_matches(scenario.spec, scenario.plans, lengths)};
}

}  // namespace

std::string rate_match_lines(const scenarios::CheckedScenario& scenario, traces::RequestSource& requests) {
  const Rates rates = rates_of(scenario, requests);
  std::string text;
  for (const results::RateMatch& match : rates.models)
    text += fmt::format("{} (mean prompt {:.0f} tokens, output {:.0f})\n", report::rate_match_text(match), rates.lengths.input, rates.lengths.output);
  return text;
}

nlohmann::ordered_json rate_match_json(const scenarios::CheckedScenario& scenario, traces::RequestSource& requests) {
  const Rates rates = rates_of(scenario, requests);
  nlohmann::ordered_json json{{"models", nlohmann::ordered_json::array()}};
  for (const results::RateMatch& match : rates.models) {
    json["models"].push_back({{"name", match.name},
                              {"prefill_requests_per_s", match.prefill_requests_per_s},
                              {"decode_requests_per_s", match.decode_requests_per_s},
                              {"transfer_requests_per_s", match.transfer_requests_per_s()},
                              {"binds", match.binds()}});
  }
  if (rates.models.empty()) return json;
  json["mean_input_tokens"] = rates.lengths.input;
  json["mean_output_tokens"] = rates.lengths.output;
  return json;
}

}  // namespace rackwright::cli
