#pragma once

#include "models/kernels/operators/prompt_tile.h"
#include "models/kernels/serve/batch_scheduler.h"

namespace rackwright::kernels {

/// Tokens of a sequence's keys that lie beside each other; the slot after the last takes what padded rows write.
inline constexpr int padding_slot = most_sequences;

/// What the host tells the device about a step, in one copy.
struct StepInput {
  struct Chunk {
    int slot;
    int request;
    int past;
    int tokens;
    int first_row;  ///< After the bucket's decode rows.
    int last;       ///< 1 when the prompt ends here.
  };
  /// Chunks of c tokens fill ⌈c / 128⌉ tiles.
  static constexpr int most_tiles = most_step_tokens / prompt_tile_queries + most_chunks;

  int decodes;
  int chunks;
  int tiles;
  int decode_slots[most_sequences];
  int decode_contexts[most_sequences];
  Chunk chunk[most_chunks];
  PromptTile tile[most_tiles];
};

/// What it tells the host.
struct StepResult {
  long long begin_ns;  ///< On the device's timer, at the first and the last kernel.
  long long end_ns;
  int chosen[most_sequences + most_chunks];
};

/// `bucket` holds the plan.
StepInput step_input(const StepPlan& plan, StepBucket bucket);

/// How many tiles any prompt chunks of a bucket can fill.
int tiles_of(StepBucket bucket);

}  // namespace rackwright::kernels
