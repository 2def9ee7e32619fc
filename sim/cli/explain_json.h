#pragma once

#include <nlohmann/json_fwd.hpp>

#include "scenarios/schema/explain.h"

namespace rackwright::cli {

/// What `explain PATH --format json` prints: the parameter, and of a group its parameters, with the same facts as the text.
nlohmann::ordered_json explain_json(const scenarios::SchemaPlace& place);

}  // namespace rackwright::cli
