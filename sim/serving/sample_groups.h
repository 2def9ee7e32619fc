#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "sim/serving/sequence.h"

namespace rackwright::serving {

/// When a request with several completions is answered.
enum class SampleRule { all, first };

/// The completions of one prompt. The first one computes the prompt and stands for the request until it leaves; the others
/// start on the same instance when the first token is there, and find the prompt's full blocks cached.
struct SampleGroup {
  SequenceId leader = no_sequence;
  std::vector<std::int32_t> to_start;     ///< Output tokens of the others, until they start.
  std::vector<SequenceId> running;        ///< Others that are at the instance.
  bool leader_runs = true;
  SequenceId winner = no_sequence;        ///< Whose completion answers the request, where the first one does.
  std::int64_t ended_tokens = 0;          ///< Of others that have left.
  std::uint32_t started = 0;
};

/// Groups by recycled number.
class SampleGroups {
 public:
  std::uint32_t open(SequenceId leader, std::vector<std::int32_t> others) {
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(groups_.size()));
      groups_.emplace_back();
    }
    const std::uint32_t at = free_.back();
    free_.pop_back();
    groups_[at] = SampleGroup{};
    groups_[at].leader = leader;
    groups_[at].to_start = std::move(others);
    return at;
  }
  void close(std::uint32_t at) {
    groups_[at] = SampleGroup{};
    free_.push_back(at);
  }
  SampleGroup& operator[](std::uint32_t at) { return groups_[at]; }

 private:
  std::vector<SampleGroup> groups_;
  std::vector<std::uint32_t> free_;
};

}  // namespace rackwright::serving
