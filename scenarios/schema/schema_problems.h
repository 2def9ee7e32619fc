#pragma once

#include <string>
#include <vector>

#include "scenarios/schema/protobuf_fwd.h"

namespace rackwright::scenarios {

/// What is wrong with the schema itself below a root message, one sentence each: a field without help or
/// of a type that files cannot hold, an unknown unit, a default or example that its own rules refuse,
/// a condition on a field that is not there. A test keeps this empty, so that the rest may rely on it.
std::vector<std::string> schema_problems(const pb::Descriptor& root);

}  // namespace rackwright::scenarios
