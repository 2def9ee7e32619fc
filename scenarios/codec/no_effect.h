#pragma once

#include "models/base/diagnostic.h"
#include "scenarios/codec/source_map.h"
#include "scenarios/schema/protobuf_fwd.h"

namespace rackwright::scenarios {

/// A warning for every given parameter whose conditions (applies_when) do not hold:
///   no effect: deployment[0].scheduler.token_budget, because policy is fcfs
void warn_of_no_effect(const pb::Message& message, const SourceMap& places, Diagnostics& diagnostics);

}  // namespace rackwright::scenarios
