#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "scenarios/check/checked_scenario.h"
#include "traces/records/request.h"

namespace rackwright::cli {

/// Which side of each disaggregated model binds, and of each attention pool whose feed-forward networks lie elsewhere, at the mean
/// lengths of the first requests, which it uses up; "" where there is neither.
std::string rate_match_lines(const scenarios::CheckedScenario& scenario, traces::RequestSource& requests);
/// The same in requests/s: {"mean_input_tokens", "mean_output_tokens", "models": [{"name", "prefill_requests_per_s", …, "binds"}],
/// "layer_sides": [{"name", "attention_s", …, "binds"}]}.
nlohmann::ordered_json rate_match_json(const scenarios::CheckedScenario& scenario, traces::RequestSource& requests);

}  // namespace rackwright::cli
