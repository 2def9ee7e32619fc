#include "sim/serving/sequence.h"

#include <utility>

#include "models/base/invariant.h"

namespace rackwright::serving {

SequenceId SequencePool::claim() {
  ++in_use_;
  SequenceId id = bound_;
  if (!free_.empty()) {
    id = free_.back();
    free_.pop_back();
  } else {
    if (bound_ == chunks_.size() * chunk_size) chunks_.push_back(std::make_unique<Sequence[]>(chunk_size));
    ++bound_;
  }
  (*this)[id].state = SequenceState::waiting;
  return id;
}

void SequencePool::release(SequenceId id) {
  Sequence& sequence = (*this)[id];
  invariant(sequence.state != SequenceState::free, "a sequence is released once");
  std::vector<std::uint64_t> buffer = std::move(sequence.block_hashes);
  buffer.clear();
  sequence = {};
  sequence.block_hashes = std::move(buffer);
  free_.push_back(id);
  --in_use_;
}

}  // namespace rackwright::serving
