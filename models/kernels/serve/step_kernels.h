#pragma once

#include <cuda_runtime.h>

#include "models/kernels/serve/step_input.h"

namespace rackwright::kernels {

/// What the kernels of a step read about its rows, written on the device from the StepInput.
struct StepRows {
  static constexpr int pages_per_sequence = most_sequence_tokens / 16;
  static constexpr int parts_per_sequence = most_sequence_tokens / 256;

  int* ids;          ///< Token of each row; decodes take the newest of their slot, prompts draw theirs.
  int* positions;
  int* kv_slots;     ///< Where a row's keys and values go.
  int* lengths;      ///< Of decodes; 1 for padding.
  int* page_table;   ///< [decodes, pages_per_sequence]
  int* logit_rows;   ///< Decodes, then the last row of each chunk.
  int* part_count;
  int2* parts;
  int* newest;       ///< [slots] The newest token of each.
};

/// The first and the last kernel of a step. `result` is on the device.
void prepare_step(const StepInput* input, const StepRows& rows, StepBucket bucket, int vocabulary, StepResult* result, cudaStream_t stream);
void finish_step(const StepInput* input, const StepRows& rows, StepBucket bucket, const int* chosen, StepResult* result, cudaStream_t stream);

}  // namespace rackwright::kernels
