#pragma once

#include "scenarios/schema/protobuf_fwd.h"

namespace rackwright::scenarios {

/// Lays what `overrides` gives over a preset of the same type: given scalars replace, messages are merged
/// field by field, lists are replaced as a whole, maps are merged by key.
void merge_preset(pb::Message& preset, const pb::Message& overrides);

}  // namespace rackwright::scenarios
