#pragma once

#include <string>

#include "models/base/diagnostic.h"
#include "scenarios/codec/source_map.h"
#include "scenarios/schema/protobuf_fwd.h"

namespace rackwright::scenarios {

/// When a reader says what the schema requires and the input lacks: at once, or not at all since the caller
/// has more to fill in and calls `report_missing` then.
enum class Missing { report, leave };

/// Reports what the schema requires and the message lacks. What the file gives but could not be read counts as
/// given, so that one mistake is reported once.
void report_missing(const pb::Message& message, const SourceMap& places, Diagnostics& diagnostics);

/// What to write in place of a missing field: its help, with its example.
std::string missing_hint(const pb::FieldDescriptor& field);

}  // namespace rackwright::scenarios
