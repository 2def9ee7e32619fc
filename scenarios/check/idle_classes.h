#pragma once

namespace rackwright::v1 {
class Scenario;
}

namespace rackwright::scenarios {

class Findings;

/// Warns of request classes that no request can have, and of priorities that no queue looks at or that are all alike.
void warn_of_idle_classes(const v1::Scenario& scenario, Findings& findings);

}  // namespace rackwright::scenarios
