#pragma once

#include <QString>
#include <string>

#include "scenarios/schema/protobuf_fwd.h"

namespace rackwright::gui {

/// A few words about a given group or item, from its first values: "llama-3.1-8b · a · 4".
/// The value that names it is left out.
QString summaryText(const scenarios::pb::Message& group);

/// "tensor_parallel" as people read it: "Tensor parallel".
QString readableName(const std::string& name);

}  // namespace rackwright::gui
