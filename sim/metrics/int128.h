#pragma once

namespace rackwright::metrics {

/// Sums of picoseconds times milliwatts, tokens or shares pass 2^63; integers keep them independent of
/// how a stretch was split.
__extension__ using Int128 = __int128;

}  // namespace rackwright::metrics
