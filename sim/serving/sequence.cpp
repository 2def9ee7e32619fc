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
  std::vector<std::uint64_t> hashes = std::move(sequence.prefix_hashes);
  std::vector<std::uint32_t> units = std::move(sequence.units);
  hashes.clear();
  units.clear();
  sequence = {};
  sequence.prefix_hashes = std::move(hashes);
  sequence.units = std::move(units);
  free_.push_back(id);
  --in_use_;
}

}  // namespace rackwright::serving
