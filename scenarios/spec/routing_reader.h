#pragma once

#include <vector>

#include "scenarios/results/run_description.h"
#include "scenarios/schema/protobuf_fwd.h"
#include "scenarios/spec/routing_spec.h"

namespace rackwright::v1 {
class Admission;
class Routing;
class Scenario;
}  // namespace rackwright::v1

namespace rackwright::scenarios {

class Findings;

RoutingSpec routing_spec(const v1::Routing& written);
AdmissionSpec admission_spec(const v1::Admission& written);

/// Says which parameters of routing and admission have no effect for want of another one.
void warn_of_idle_routing(const v1::Scenario& scenario, const std::vector<results::RequestClass>& classes, Findings& findings);

}  // namespace rackwright::scenarios
