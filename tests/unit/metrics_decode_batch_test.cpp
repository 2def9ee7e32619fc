#include "sim/metrics/decode_batch_tally.h"
#include "tests/support/catch.h"
#include "tests/support/synthetic_run.h"

using namespace rackwright;

namespace {

metrics::Stretch decode(std::int32_t sequences, std::int64_t steps, double step_s) {
  metrics::Stretch stretch = test::stretch(0, 0, steps, step_s, 500);
  stretch.decode_sequences = sequences;
  return stretch;
}

void add(metrics::DecodeBatchTally& tally, const metrics::Stretch& stretch) { tally.add(stretch, stretch.end - stretch.start, stretch.steps); }

}  // namespace

TEST_CASE("Decode steps are summed by batch: throughput of an instance and what bounds it follow") {
  metrics::DecodeBatchTally tally;
  metrics::Stretch one = decode(1, 100, 0.010);
  one.cost.parts.host_s = 0.008;
  add(tally, one);
  add(tally, decode(64, 50, 0.020));
  const auto batches = tally.batches();
  REQUIRE(batches.size() == 2);
  // 100 tokens in 1 s, of which 0.8 s in the host and the rest in memory.
  CHECK(batches[0].name == "1");
  CHECK(batches[0].tokens_per_s() == Approx(100));
  CHECK(batches[0].bound[1] == Approx(0.2));
  CHECK(batches[0].bound[3] == Approx(0.8));
  // 64 · 50 tokens in 1 s
  CHECK(batches[1].name == "64-79");
  CHECK(batches[1].sequences == 64);
  CHECK(batches[1].tokens_per_s() == Approx(3'200));
  CHECK(batches[1].bound[1] == Approx(1));
}

TEST_CASE("Batches that agree in three binary digits count as one, weighted by their steps") {
  metrics::DecodeBatchTally tally;
  for (const std::int32_t sequences : {7, 8, 9, 10, 1'000, 1'023}) add(tally, decode(sequences, sequences == 9 ? 3 : 1, 0.001));
  std::vector<std::string> names;
  for (const auto& batch : tally.batches()) names.push_back(batch.name);
  CHECK(names == std::vector<std::string>{"7", "8-9", "10-11", "896-1023"});
  CHECK(tally.batches()[1].sequences == Approx((8 + 3 * 9) / 4.0));
}

TEST_CASE("Steps with prompts are no decode steps, drafted tokens count, and nothing decoded is nothing to show") {
  metrics::DecodeBatchTally tally;
  metrics::Stretch prompt = decode(4, 1, 0.1);
  prompt.prefill_sequences = 1;
  prompt.prefill_tokens = 512;
  add(tally, prompt);
  add(tally, decode(0, 5, 0.01));
  CHECK(tally.batches().empty());
  metrics::Stretch drafted = decode(2, 10, 0.01);
  drafted.extra_tokens = 30;
  add(tally, drafted);
  CHECK(tally.batches().front().tokens == 50);  // 2 · 10 and 30 beside
}
