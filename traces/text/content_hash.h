#pragma once

#include <cstdint>

#include "traces/text/byte_source.h"

namespace rackwright::traces {

/// hash64 of all bytes of a source, without holding them.
std::uint64_t content_hash(ByteSource& bytes);

}  // namespace rackwright::traces
