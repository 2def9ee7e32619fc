#include "sim/serving/micro_batch.h"

namespace rackwright::serving {

void MicroBatch::append(SequencePool& pool, SequenceId id) {
  pool[id].previous = last_running;
  pool[id].next = no_sequence;
  (last_running == no_sequence ? first_running : pool[last_running].next) = id;
  last_running = id;
  ++running_count;
}

void MicroBatch::unlink(SequencePool& pool, SequenceId id) {
  const Sequence& sequence = pool[id];
  (sequence.previous == no_sequence ? first_running : pool[sequence.previous].next) = sequence.next;
  (sequence.next == no_sequence ? last_running : pool[sequence.next].previous) = sequence.previous;
  --running_count;
  if (!received.empty()) std::erase(received, id);
}

}  // namespace rackwright::serving
