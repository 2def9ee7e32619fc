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
  return admission;
}

void warn_of_idle_routing(const v1::Scenario& scenario, const std::vector<results::RequestClass>& classes, Findings& findings) {
  const bool has_ttft = std::ranges::any_of(classes, [](const results::RequestClass& one) {
    return std::ranges::find(one.targets, results::LatencyMetric::ttft, &results::SloTarget::metric) != one.targets.end();
  });
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
  }
}

}  // namespace rackwright::scenarios
