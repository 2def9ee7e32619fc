#pragma once

#include <memory>
#include <string>

#include "traces/rows/row_source.h"

namespace rackwright::traces {

/// Rows of a file with one JSON object per line. A line that is no JSON spoils only itself.
std::unique_ptr<RowSource> json_lines(std::unique_ptr<ByteSource> bytes, const ColumnMapping& mapping);

/// Rows of any other JSON text; `row_key` as in JsonSplitter.
std::unique_ptr<RowSource> json_document(std::unique_ptr<ByteSource> bytes, const ColumnMapping& mapping, std::string row_key);

}  // namespace rackwright::traces
