#pragma once

namespace rackwright::policies {

/// Who is next in the queue: the first to arrive, the most urgent class, or the earliest deadline of a first token.
enum class QueueOrder { arrival, priority, deadline };

}  // namespace rackwright::policies
