#pragma once

#include <string>
#include <vector>

#include "scenarios/schema/protobuf_fwd.h"

namespace rackwright::scenarios {

class Catalog;

/// The catalog figures that a scenario, as written, stands on although they are only from memory: a line each, such as
/// "device h20: power.idle". A figure that the scenario gives itself is not among them.
std::vector<std::string> unverified_figures(const pb::Message& written, const Catalog& catalog);

}  // namespace rackwright::scenarios
