#include "models/kernels/serve/step_input.h"

#include <algorithm>

namespace rackwright::kernels {

int tiles_of(StepBucket bucket) {
  if (bucket.prompt_tokens == 0) return 0;
  const int full = (bucket.prompt_tokens + prompt_tile_queries - 1) / prompt_tile_queries;
  return std::min(full + most_chunks, StepInput::most_tiles);
}

StepInput step_input(const StepPlan& plan, StepBucket bucket) {
  StepInput input{};
  for (const StepPlan::Decode& decode : plan.decodes) {
    input.decode_slots[input.decodes] = decode.slot;
    input.decode_contexts[input.decodes++] = decode.context;
  }
  int row = 0;
  for (const StepPlan::Chunk& chunk : plan.chunks) {
    input.chunk[input.chunks++] = {chunk.slot, chunk.request, chunk.past, chunk.tokens, row, chunk.last ? 1 : 0};
    for (int query = 0; query < chunk.tokens; query += prompt_tile_queries)
      input.tile[input.tiles++] = {bucket.decodes + row, chunk.slot * most_sequence_tokens, query, chunk.tokens, chunk.past};
    row += chunk.tokens;
  }
  // The longest work first.
  std::stable_sort(input.tile, input.tile + input.tiles,
                   [](const PromptTile& a, const PromptTile& b) { return a.past_tokens + a.first_query > b.past_tokens + b.first_query; });
  return input;
}

}  // namespace rackwright::kernels
