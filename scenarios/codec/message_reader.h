#pragma once

#include "models/base/diagnostic.h"
#include "scenarios/codec/node.h"
#include "scenarios/codec/required.h"
#include "scenarios/codec/source_text.h"
#include "scenarios/schema/path.h"
#include "scenarios/schema/protobuf_fwd.h"

namespace rackwright::scenarios {

/// Fills an empty message from a tree by the schema's rules and reports everything that does not fit in
/// one pass: unknown keys, wrong types, missing and wrong units, values out of range, unknown choices,
/// what is required and missing, empty lists, names used twice. `null` counts as not given.
/// What fits is filled in even where other parts do not. `at` is the place of the tree in its document.
void read_tree(const Node& tree, const SourceText& source, pb::Message& message, Diagnostics& diagnostics,
               const Path& at = {}, Missing missing = Missing::report);

/// Fills one field from the tree of its value, replacing what it held.
void read_field_tree(const Node& value, const SourceText& source, const pb::FieldDescriptor& field, pb::Message& message,
                     Diagnostics& diagnostics, const Path& at);

}  // namespace rackwright::scenarios
