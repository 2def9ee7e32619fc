#pragma once

#include <span>
#include <vector>

namespace rackwright::kernels {

/// Rows of one captured step: decodes first, then prompt tokens. 0: the graph has no such part.
struct StepBucket {
  int decodes = 0;
  int prompt_tokens = 0;

  int rows() const { return decodes + prompt_tokens; }
  bool operator==(const StepBucket&) const = default;
};

/// What one step may hold at most.
inline constexpr int most_sequences = 80;
inline constexpr int most_step_tokens = 2048;
/// Prompts that share a step.
inline constexpr int most_chunks = 16;
/// Of one sequence, prompt and answer.
inline constexpr int most_sequence_tokens = 8192;

/// Decodes alone; decodes beside a prompt (0 among them); prompt tokens. Ascending.
std::span<const int> decode_buckets();
std::span<const int> mixed_decode_buckets();
std::span<const int> prompt_buckets();

/// All of them: each step has one graph.
std::vector<StepBucket> serving_buckets();

/// The smallest that holds the step; at least one of the two numbers is positive and neither exceeds the largest bucket.
StepBucket bucket_of(int decodes, int prompt_tokens);

}  // namespace rackwright::kernels
