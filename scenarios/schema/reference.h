#pragma once

#include <string>

#include "scenarios/schema/description.h"

namespace rackwright::scenarios {

/// The reference of one kind of file as Markdown: every group with a table of its parameters.
std::string reference_markdown(const SchemaDescription& schema);

}  // namespace rackwright::scenarios
