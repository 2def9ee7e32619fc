#pragma once

#include <cstdint>
#include <vector>

#include "sim/serving/decode_group.h"
#include "sim/serving/sequence.h"

namespace rackwright::serving {

/// The sequences that a step may compute, and the step planned next. An instance has as many as it has steps in flight
/// at once: one, or one for each stage of a pipeline.
struct MicroBatch {
  struct Chunk {
    SequenceId sequence = no_sequence;
    std::int32_t tokens = 0;
  };

  MicroBatch(SequencePool& pool, const llm::KvLayout& layout, const Speculation* speculation = nullptr)
      : decodes(pool, layout, speculation) {}

  bool runs_decodes() const { return decodes_run && !decodes.empty(); }
  bool is_idle() const { return chunks.empty() && !runs_decodes(); }
  void append(SequencePool& pool, SequenceId id);
  void unlink(SequencePool& pool, SequenceId id);

  DecodeGroup decodes;
  /// Admitted and not preempted, in order of admission; prefilling, decoding and held ones.
  SequenceId first_running = no_sequence;
  SequenceId last_running = no_sequence;
  int running_count = 0;
  int prefilling_count = 0;
  std::vector<SequenceId> received;   ///< Held since their KV came; the next plan resumes them.
  std::vector<SequenceId> newcomers;  ///< Those that the present plan has resumed.

  std::vector<Chunk> chunks;
  std::int32_t prefill_tokens = 0;
  bool decodes_run = true;
  bool follows_prompts = false;  ///< The step before left decodes out.
  bool composition_changed = true;
  std::int64_t plan_limit = no_limit;
  SimTime planned_at;
};

}  // namespace rackwright::serving
