#pragma once

#include <memory>

#include "traces/text/byte_source.h"

namespace rackwright::traces {

/// The content of a gzip stream, member after member.
std::unique_ptr<ByteSource> gunzip(std::unique_ptr<ByteSource> raw);

/// The content of a zstd stream, frame after frame.
std::unique_ptr<ByteSource> unzstd(std::unique_ptr<ByteSource> raw);

}  // namespace rackwright::traces
