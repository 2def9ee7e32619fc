#pragma once

#include "models/base/diagnostic.h"
#include "scenarios/codec/source_map.h"
#include "scenarios/schema/protobuf_fwd.h"

namespace rackwright::scenarios {

/// Checks by the schema a message that did not come from YAML or JSON: ranges, unknown choices,
/// names used twice, fields that this version does not know, the kind of document.
void validate_message(const pb::Message& message, const SourceMap& places, Diagnostics& diagnostics);

}  // namespace rackwright::scenarios
