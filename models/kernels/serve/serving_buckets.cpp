#include "models/kernels/serve/serving_buckets.h"

#include <algorithm>

#include "models/base/invariant.h"

namespace rackwright::kernels {
namespace {

// Those of the engine whose run scenarios/library/validation/h200_8b_colocated.yaml replays.
constexpr int alone[] = {1, 2, 4, 8, 12, 16, 24, 32, 40, 48, 56, 64, 72, 80};
constexpr int mixed[] = {0, 8, 16, 32, 48, 64, 80};
constexpr int prompts[] = {64, 128, 256, 384, 512, 640, 768, 1024, 1280, 1536, 1792, 2048};

int padded(std::span<const int> sizes, int n) {
  const auto at = std::ranges::lower_bound(sizes, n);
  invariant(at != sizes.end(), "a step fits into the largest bucket");
  return *at;
}

}  // namespace

std::span<const int> decode_buckets() { return alone; }
std::span<const int> mixed_decode_buckets() { return mixed; }
std::span<const int> prompt_buckets() { return prompts; }

std::vector<StepBucket> serving_buckets() {
  std::vector<StepBucket> buckets;
  for (const int decodes : alone) buckets.push_back({decodes, 0});
  for (const int decodes : mixed)
    for (const int tokens : prompts) buckets.push_back({decodes, tokens});
  return buckets;
}

StepBucket bucket_of(int decodes, int prompt_tokens) {
  invariant(decodes + prompt_tokens > 0, "a step has work");
  if (prompt_tokens == 0) return {padded(alone, decodes), 0};
  return {padded(mixed, decodes), padded(prompts, prompt_tokens)};
}

}  // namespace rackwright::kernels
