#pragma once

#include <cstdint>
#include <vector>

namespace rackwright::test {

/// a + b · Σ tokens + c · Σ tokens² (prefill), a + b · Σ context + c · sequences (decode), in milliseconds.
struct DistServeLine {
  double a = 0;
  double b = 0;
  double c = 0;
};

/// What DistServe's simulator (LLMServe/DistServe, simdistserve) is given, one pipeline stage an instance.
struct DistServeSetup {
  int prefill_instances = 1;
  int decode_instances = 1;      ///< 0: the prefill instances decode as well (its "vllm" backend).
  std::int64_t prefill_tokens = 0;  ///< Of one batch at most.
  std::int64_t context_tokens = 0;  ///< Of the decodes of one iteration at most.
  DistServeLine prefill;
  DistServeLine decode;          ///< Below `large_batch` sequences.
  DistServeLine large_decode;
  int large_batch = 95;
  /// Added to every iteration: base + each · tokens of the prompts, or of the decodes before their new ones.
  double overhead_ms = 0;
  double overhead_per_token_ms = 0;
};

struct DistServeRequest {
  double arrival_ms = 0;
  int input_tokens = 0;
  int decode_tokens = 0;  ///< Decode iterations after the prompt, which gives a token of its own.
  double first_token_ms = 0;
  double end_ms = 0;
};

/// The rules as its source states them, in its floating-point milliseconds, written anew: workers with a queue of prompts and one of
/// decodes; prompts first, whole, in order, while the batch holds them; else decodes from the front of their queue while
/// their contexts fit. Those that ran go to the end of the queue. A complete prompt goes at once to the decode worker
/// with the shortest queue, those in an iteration not counted; a new request to the worker with the fewest prompts, those in an
/// iteration counted. Ties go to the first. Requests are in order of arrival; fills in their times.
void run_plain_distserve(const DistServeSetup& setup, std::vector<DistServeRequest>& requests);

}  // namespace rackwright::test
