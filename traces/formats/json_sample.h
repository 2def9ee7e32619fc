#pragma once

#include <string_view>

#include "traces/formats/trace_sample.h"

namespace rackwright::traces {

/// Tells JSON lines from a document, finds where a document keeps its rows, and collects the paths of the first rows.
void sample_json(std::string_view start, TraceSample& sample);

}  // namespace rackwright::traces
