#pragma once

#include <string>
#include <string_view>

#include "models/base/diagnostic.h"
#include "scenarios/codec/required.h"
#include "scenarios/codec/source_map.h"
#include "scenarios/schema/protobuf_fwd.h"

namespace rackwright::scenarios {

/// Protobuf's own two forms of a message. Quantities stand in SI base units there, choices by their
/// identifiers in the schema. Both readers validate what they read; on a syntax error the message is
/// left as far as it was read.
SourceMap read_textproto(const std::string& file, std::string_view text, pb::Message& message, Diagnostics& diagnostics,
                         Missing missing = Missing::report);
SourceMap read_binary(const std::string& file, std::string_view bytes, pb::Message& message, Diagnostics& diagnostics,
                      Missing missing = Missing::report);

std::string write_textproto(const pb::Message& message);
/// The same bytes for the same message: maps are written by ascending key.
std::string write_binary(const pb::Message& message);

}  // namespace rackwright::scenarios
