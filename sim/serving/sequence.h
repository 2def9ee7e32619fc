#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "models/base/time.h"
#include "sim/engine/engine.h"
#include "traces/records/request.h"

namespace rackwright::serving {

/// Index of a sequence in the `SequencePool`.
using SequenceId = std::uint32_t;
inline constexpr SequenceId no_sequence = ~SequenceId{0};

enum class SequenceState : std::uint8_t {
  free,        ///< Not in use.
  waiting,     ///< In an instance's queue; owns no KV block.
  prefilling,  ///< Admitted; part of its prompt is still to be computed.
  decoding,    ///< In the decode group: one token a step. Its age lives there.
  held,        ///< Admitted and ready to decode, but the policy leaves it out of the steps at present.
  moving,      ///< Its prompt is computed; it is between the instance that did it and the one that decodes.
  expected,    ///< Queued at the instance that will decode it; its KV is elsewhere.
  receiving,   ///< Its KV is on its way into blocks taken for it.
  loading,     ///< Left the queue for as long as KV of it comes from a lower tier into blocks taken for it.
};

/// One request on its way through an instance. The group counts a decoding sequence's tokens, so that a
/// step costs nothing per sequence; `computed`, `emitted` and `blocks` are brought up to date when it leaves the group.
struct Sequence {
  std::uint64_t request = 0;
  SimTime arrival;
  std::int32_t input_tokens = 0;
  std::int32_t output_tokens = 0;  ///< To be emitted by the end of its stay at the present instance.
  std::int32_t answer_tokens = 0;  ///< To be emitted in all.
  std::uint32_t request_class = 0;
  std::uint64_t session = 0;
  std::int32_t priority = 0;  ///< Lower runs first.
  SimTime deadline = SimTime::max();  ///< By which its class wants the first token.
  SequenceState state = SequenceState::free;
  std::uint16_t micro_batch = 0;  ///< Of its instance, while it runs.
  bool cancelled = false;     ///< Left by its client; dropped at the end of the step in flight.

  std::uint32_t service = 0;   ///< Index of its model's instances.
  std::uint32_t instance = 0;
  std::uint32_t kv_instance = 0;  ///< Where its KV is held, while moving, expected or receiving,
  std::uint32_t kv_hold = 0;      ///< and under which number.
  std::uint32_t partner = 0;      ///< Of a pair chosen on arrival: the instance that computes its prompt while it waits for
                                  ///< blocks where it will decode, then the one that decodes.
  static constexpr std::uint32_t no_instance = ~std::uint32_t{0};
  std::uint32_t prompt_instance = no_instance;  ///< The prefill instance that is still to compute its prompt.
  std::int32_t reserved_blocks = 0;  ///< KV blocks taken at `partner` while its prompt is computed.
  std::int32_t computed = 0;  ///< Tokens whose KV exists.
  std::int32_t to_compute = 0;  ///< Prefill ends, and a token is sampled, when `computed` reaches this.
  std::int32_t emitted = 0;   ///< Output tokens so far.
  std::int32_t milestone = 0; ///< The owner hears when it has emitted so many; 0, or what it has emitted already: never.
  std::int32_t blocks = 0;    ///< KV blocks held.
  std::int32_t cached_input_tokens = 0;
  std::int32_t loaded = 0;    ///< KV tokens that are loading; while waiting: that came and hold their blocks.
  std::int32_t swapped = 0;   ///< KV tokens kept for it in the first lower tier.
  SimTime swapped_at;         ///< When all of them are there.
  std::int32_t preemptions = 0;

  SimTime fetched_since;      ///< When blocks were taken for KV that is receiving or loading.

  SimTime scheduled = SimTime::max();  ///< First step that computed something for it; max until then.
  SimTime first_token;
  SimTime last_token;
  SimTime longest_gap;
  SimTime client_delay;              ///< One way.
  SimTime kv_exposed{-1};  ///< From the first token until its KV was where it decodes; negative when it never moved.

  SimTime tool_time;                 ///< In tools before it arrived, at work
  SimTime tool_wait;                 ///< and waiting.
  std::int32_t reasoning_tokens = 0; ///< Hidden ones, the first that it emits.
  SimTime first_visible{-1};         ///< First token after them; negative until then.
  std::int32_t spoken_tokens = 0;    ///< Visible ones that were handed to speech synthesis.
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  std::uint32_t turn = none;         ///< Its spoken turn.
  std::uint32_t samples = none;      ///< The completions of one prompt to which it belongs,
  std::uint32_t sample = 0;          ///< and which it is of them.
  std::int32_t other_tokens = 0;     ///< Emitted in the others, when they have ended.
  double acceptance = -1;            ///< Its own chance that a drafted token is accepted; negative: as the pool says.

  std::uint64_t order = 0;           ///< Of its arrival at the instance.
  std::uint32_t slot = 0;            ///< Its place in the heap that it is in (queue or decode group).
  SequenceId previous = no_sequence;  ///< In the running list.
  SequenceId next = no_sequence;

  /// What its own random draws are keyed by.
  std::uint64_t draws() const { return request ^ std::uint64_t{sample} << 48; }

  engine::EventId timeout;  ///< When its client gives up.
  traces::LoggedTimes logged;
  /// One for each `hash_tokens` tokens of the prompt, of those and all before them.
  std::vector<std::uint64_t> prefix_hashes;
  std::int32_t hash_tokens = 0;
  std::vector<std::uint32_t> units;  ///< Of the KV cache, in order; `KvCache::no_unit` where it holds blocks of its own.
};

/// Sequences by index: references stay valid until their release, slots are reused, and memory follows the
/// largest number in flight.
class SequencePool {
 public:
  Sequence& operator[](SequenceId id) { return chunks_[id / chunk_size][id % chunk_size]; }
  const Sequence& operator[](SequenceId id) const { return chunks_[id / chunk_size][id % chunk_size]; }

  /// A waiting sequence with default values, whose buffers keep their capacity.
  SequenceId claim();
  void release(SequenceId id);
  std::size_t in_use() const { return in_use_; }
  /// Ids below this were claimed at least once.
  SequenceId bound() const { return bound_; }

 private:
  static constexpr std::size_t chunk_size = 1024;

  std::vector<std::unique_ptr<Sequence[]>> chunks_;
  std::vector<SequenceId> free_;
  SequenceId bound_ = 0;
  std::size_t in_use_ = 0;
};

}  // namespace rackwright::serving
