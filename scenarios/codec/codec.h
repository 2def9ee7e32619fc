#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "models/base/diagnostic.h"
#include "scenarios/codec/required.h"
#include "scenarios/codec/source_map.h"
#include "scenarios/schema/protobuf_fwd.h"

namespace rackwright::scenarios {

/// The forms in which the same message can be stored.
enum class Format { yaml, json, textproto, binary };

/// By the ending of the name: .yaml .yml · .json · .textproto .txtpb · .pb .binpb; nothing for others.
std::optional<Format> format_of(std::string_view file_name);

/// Reads a file's bytes into an empty message. Whatever is wrong goes to `diagnostics`, all of it in one
/// pass where the syntax allows; the message is to be used only when there was no error.
/// `file` names the input in findings. Returns where each value stands.
SourceMap read_message(const std::string& file, std::string bytes, Format format, pb::Message& message,
                       Diagnostics& diagnostics, Missing missing = Missing::report);

/// What is given in the message and no defaults. Reading it back gives an equal message.
std::string write_message(const pb::Message& message, Format format);

}  // namespace rackwright::scenarios
