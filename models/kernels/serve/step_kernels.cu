#include "models/kernels/device/check.h"
#include "models/kernels/measure/hash.cuh"
#include "models/kernels/operators/decode_attention.h"
#include "models/kernels/serve/step_kernels.h"

namespace rackwright::kernels {
namespace {

static_assert(StepRows::pages_per_sequence * page_tokens == most_sequence_tokens);
static_assert(StepRows::parts_per_sequence * partition_tokens == most_sequence_tokens);

constexpr int threads = 128;
static_assert(threads >= most_sequences);

__device__ long long device_ns() {
  long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

__device__ int parts_of(int tokens) { return (tokens + partition_tokens - 1) / partition_tokens; }

/// Decode rows and the list of their parts, by one block.
__device__ void prepare_decodes(const StepInput& input, const StepRows& rows, StepBucket bucket) {
  __shared__ int counts[most_sequences];
  const int row = threadIdx.x;
  const bool real = row < input.decodes;
  const int slot = real ? input.decode_slots[row] : padding_slot;
  const int context = real ? input.decode_contexts[row] : 1;
  if (row < bucket.decodes) {
    rows.ids[row] = rows.newest[slot];
    rows.positions[row] = context - 1;
    rows.kv_slots[row] = slot * most_sequence_tokens + context - 1;
    rows.lengths[row] = context;
    rows.logit_rows[row] = row;
    counts[row] = parts_of(context);
  }
  __syncthreads();
  if (row < bucket.decodes) {
    int first = 0;
    for (int i = 0; i < row; ++i) first += counts[i];
    for (int part = 0; part < counts[row]; ++part) rows.parts[first + part] = {row, part};
    if (row == bucket.decodes - 1) *rows.part_count = first + counts[row];
  }
  if (row < most_chunks && bucket.prompt_tokens > 0) {
    const StepInput::Chunk& chunk = input.chunk[row];
    rows.logit_rows[bucket.decodes + row] = bucket.decodes + (row < input.chunks ? chunk.first_row + chunk.tokens - 1 : 0);
  }
}

__device__ void prepare_page_table(const StepInput& input, const StepRows& rows, int row) {
  const bool real = row < input.decodes;
  const int slot = real ? input.decode_slots[row] : padding_slot;
  const int pages = ((real ? input.decode_contexts[row] : 1) + page_tokens - 1) / page_tokens;
  for (int page = threadIdx.x; page < pages; page += threads)
    rows.page_table[row * StepRows::pages_per_sequence + page] = slot * StepRows::pages_per_sequence + page;
}

__device__ void prepare_prompt(const StepInput& input, const StepRows& rows, StepBucket bucket, int prompt_row, int vocabulary) {
  if (prompt_row >= bucket.prompt_tokens) return;
  // Padding keeps clear of the padding slot's first token, which padded decodes read.
  int id = 0, position = 0, kv_slot = padding_slot * most_sequence_tokens + 1 + prompt_row;
  for (int i = 0; i < input.chunks; ++i) {
    const StepInput::Chunk& chunk = input.chunk[i];
    const int at = prompt_row - chunk.first_row;
    if (at < 0 || at >= chunk.tokens) continue;
    position = chunk.past + at;
    kv_slot = chunk.slot * most_sequence_tokens + position;
    id = static_cast<int>(counter_hash(position, chunk.request) % static_cast<unsigned>(vocabulary));
  }
  const int row = bucket.decodes + prompt_row;
  rows.ids[row] = id;
  rows.positions[row] = position;
  rows.kv_slots[row] = kv_slot;
}

__global__ __launch_bounds__(threads) void prepare(const StepInput* input, StepRows rows, StepBucket bucket, int vocabulary, StepResult* result) {
  const int block = blockIdx.x;
  if (block == 0) {
    if (threadIdx.x == 0) result->begin_ns = device_ns();
    prepare_decodes(*input, rows, bucket);
  } else if (block <= bucket.decodes) {
    prepare_page_table(*input, rows, block - 1);
  } else {
    prepare_prompt(*input, rows, bucket, (block - 1 - bucket.decodes) * threads + threadIdx.x, vocabulary);
  }
}

__global__ __launch_bounds__(threads) void finish(const StepInput* input, StepRows rows, StepBucket bucket, const int* chosen, StepResult* result) {
  const int i = threadIdx.x;
  if (i < input->decodes) {
    rows.newest[input->decode_slots[i]] = chosen[i];
    result->chosen[i] = chosen[i];
  }
  if (i < input->chunks) {
    const int token = chosen[bucket.decodes + i];
    if (input->chunk[i].last != 0) rows.newest[input->chunk[i].slot] = token;
    result->chosen[most_sequences + i] = token;
  }
  if (i == 0) result->end_ns = device_ns();
}

}  // namespace

void prepare_step(const StepInput* input, const StepRows& rows, StepBucket bucket, int vocabulary, StepResult* result, cudaStream_t stream) {
  const int blocks = 1 + bucket.decodes + (bucket.prompt_tokens + threads - 1) / threads;
  prepare<<<blocks, threads, 0, stream>>>(input, rows, bucket, vocabulary, result);
  check_launch();
}

void finish_step(const StepInput* input, const StepRows& rows, StepBucket bucket, const int* chosen, StepResult* result, cudaStream_t stream) {
  finish<<<1, threads, 0, stream>>>(input, rows, bucket, chosen, result);
  check_launch();
}

}  // namespace rackwright::kernels
