#include "scenarios/spec/routing_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "scenarios/schema/effective.h"
#include "scenarios/schema/scenario.pb.h"
#include "scenarios/spec/findings.h"

namespace rackwright::scenarios {

RoutingSpec routing_spec(const v1::Routing& written) {
  using Field = v1::Routing;
  RoutingSpec routing;
  routing.policy = effective_written(written, Field::kPolicyFieldNumber);
  routing.decode = written.has_decode() ? effective_written(written, Field::kDecodeFieldNumber) : routing.policy;
  routing.match_threshold = effective_quantity(written, Field::kMatchThresholdFieldNumber);
  routing.imbalance_requests = static_cast<int>(effective_count(written, Field::kImbalanceRequestsFieldNumber));
  routing.imbalance_ratio = effective_quantity(written, Field::kImbalanceRatioFieldNumber);
  return routing;
}

AdmissionSpec admission_spec(const v1::Admission& written) {
  AdmissionSpec admission;
  if (written.has_max_waiting()) admission.max_waiting = written.max_waiting();
  admission.within_ttft = effective_truth(written, v1::Admission::kWithinTtftFieldNumber);
  admission.decode_load = effective_written(written, v1::Admission::kDecodeLoadFieldNumber);
  return admission;
}

namespace {

bool has_objective(const std::vector<results::RequestClass>& classes, results::LatencyMetric metric) {
  return std::ranges::any_of(classes, [&](const results::RequestClass& one) {
    return std::ranges::find(one.targets, metric, &results::SloTarget::metric) != one.targets.end();
  });
}

/// Why a look at the load of decodes turns nobody away; null where it may.
const char* why_no_decode_load(const v1::Pool& pool, bool has_tpot) {
  if (pool.role() != v1::POOL_ROLE_PREFILL) return "the pool hands no prompts over to others that decode";
  return has_tpot ? nullptr : "no request class has a TPOT objective";
}

}  // namespace

void warn_of_idle_routing(const v1::Scenario& scenario, const std::vector<results::RequestClass>& classes, Findings& findings) {
  const bool has_ttft = has_objective(classes, results::LatencyMetric::ttft);
  const bool has_tpot = has_objective(classes, results::LatencyMetric::tpot);
  const auto policy = effective_choice<v1::RoutingPolicy>(scenario.routing(), v1::Routing::kPolicyFieldNumber);
  const auto idle = [&](const std::string& path, const char* reason) {
    findings.diagnostics().warning(findings.place(path), "", fmt::format("no effect: {}, because {}", path, reason));
  };
  if (policy == v1::ROUTING_POLICY_COST_AWARE && !has_ttft) {
    findings.warning("routing.policy", "no request class has a TTFT objective, so that the cheapest pool takes every request");
  }
  const bool is_split = std::ranges::any_of(scenario.deployment(), [](const v1::Pool& pool) { return pool.role() == v1::POOL_ROLE_PREFILL; });
  if (scenario.routing().has_decode() && !is_split) idle("routing.decode", "no pool only computes prompts");
  for (int i = 0; i < scenario.deployment_size(); ++i) {
    const v1::Pool& pool = scenario.deployment(i);
    if (pool.has_cost_weight() && policy != v1::ROUTING_POLICY_COST_AWARE)
      idle(fmt::format("deployment[{}].cost_weight", i), "routing is not cost-aware");
    if (pool.admission().within_ttft() && !has_ttft)
      idle(fmt::format("deployment[{}].admission.within_ttft", i), "no request class has a TTFT objective");
    const auto decode_load = effective_choice<v1::DecodeLoad>(pool.admission(), v1::Admission::kDecodeLoadFieldNumber);
    if (const char* reason = why_no_decode_load(pool, has_tpot); reason != nullptr && decode_load != v1::DECODE_LOAD_IGNORED)
      idle(fmt::format("deployment[{}].admission.decode_load", i), reason);
  }
}

}  // namespace rackwright::scenarios
