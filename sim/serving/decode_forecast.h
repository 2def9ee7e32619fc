#pragma once

#include <cstdint>
#include <set>
#include <utility>

#include "models/base/time.h"
#include "sim/serving/sequence.h"

namespace rackwright::serving {

class InstanceGroup;

/// Which load a request that comes must not lift a decode step above its class's objective with.
///
/// ignore     none
/// current    what decodes now
/// predicted  what will decode when its prompt is done
enum class DecodeLoad { ignore, current, predicted };

/// How many requests of a model decode, apart from their prompts, and how many will: Mooncake's early rejection (2407.00079,
/// section 7). A request is expected to decode as long as those did in the mean that have completed: it has left by the time t when it
/// began within (now − mean, t − mean]; one that decodes for longer already is expected to stay. Prompts that are queued or computed
/// have joined by then. Loads are of all decode
/// instances together and spread evenly.
class DecodeForecast {
 public:
  void prompt_begins(const Sequence& sequence);
  void prompt_ends() { --prompts_; }
  void decode_begins(SequenceId id, SimTime now) { decoding_.insert({now, id}); }
  enum class Left { completed, given_up };
  /// Nothing happens unless it decodes.
  void decode_ends(SequenceId id, SimTime began, SimTime now, Left how);

  /// Whether a decode step with one more request keeps to `limit`, when its prompt is done at `prompt_done`.
  bool keeps(DecodeLoad rule, SimTime limit, SimTime now, SimTime prompt_done, const InstanceGroup& decoders) const;

 private:
  std::int64_t decoding_at(SimTime time, SimTime now) const;

  std::set<std::pair<SimTime, SequenceId>> decoding_;  ///< By their beginning.
  std::int64_t prompts_ = 0;
  double mean_tokens_ = 0;  ///< Of context, halfway through the answer.
  std::int64_t seen_ = 0;
  double mean_decode_s_ = 0;
  std::int64_t completed_ = 0;
};

}  // namespace rackwright::serving
