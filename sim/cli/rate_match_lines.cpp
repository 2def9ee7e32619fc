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
  std::vector<results::LayerSides> sides;
};

Rates rates_of(const scenarios::CheckedScenario& scenario, traces::RequestSource& requests) {
  const auto is_apart = [](const scenarios::PoolSpec& pool) { return pool.receives_kv || pool.role == scenarios::PoolRole::attention; };
  if (std::ranges::none_of(scenario.spec.pools, is_apart)) return {};
  constexpr int looked_at = 1000;
  const run::MeanLengths lengths = run::mean_lengths(requests, looked_at);
  return {lengths, run::rate_matches(scenario.spec, scenario.plans, lengths), run::layer_sides(scenario.spec, scenario.plans, lengths)};
}

}  // namespace

std::string rate_match_lines(const scenarios::CheckedScenario& scenario, traces::RequestSource& requests) {
  const Rates rates = rates_of(scenario, requests);
  std::string text;
  for (const results::RateMatch& match : rates.models)
    text += fmt::format("{} (mean prompt {:.0f} tokens, output {:.0f})\n", report::rate_match_text(match), rates.lengths.input, rates.lengths.output);
  for (const results::LayerSides& sides : rates.sides) text += report::layer_sides_text(sides) + "\n";
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
  for (const results::LayerSides& sides : rates.sides) {
    json["layer_sides"].push_back({{"name", sides.name},
                                   {"sequences", sides.sequences},
                                   {"micro_batches", sides.micro_batches},
                                   {"attention_s", sides.attention_s},
                                   {"send_s", sides.send_s},
                                   {"feed_forward_s", sides.feed_forward_s},
                                   {"return_s", sides.return_s},
                                   {"binds", sides.binds()}});
  }
  if (rates.models.empty() && rates.sides.empty()) return json;
  json["mean_input_tokens"] = rates.lengths.input;
  json["mean_output_tokens"] = rates.lengths.output;
  return json;
}

}  // namespace rackwright::cli
