#include "sim/metrics/run_log.h"
#include "tests/support/catch.h"
#include "tests/support/synthetic_run.h"
#include "tests/support/temporary_folder.h"

using namespace rackwright;

TEST_CASE("A run that goes on can be watched: samples, then requests, and never more than a few thousand") {
  const test::TemporaryFolder temporary;
  const auto run = test::one_pool(2);
  const auto layout = test::one_pool_layout(2);
  {
    results::RunFolderWriter writer(temporary.path() / "run", results::ExistingFolder::refuse, run);
    metrics::RunLog log(writer, run, layout);
    for (int i = 0; i < 40'000; ++i) {
      auto s = test::stretch(static_cast<std::uint32_t>(i % 2), i * 0.5, 1, 0.5, 700);
      s.decode_sequences = 3;
      s.kv_blocks = 100;
      s.kv_blocks_used = 50;
      log.on_stretch(s);
      if (i % 100 == 0)
        log.on_request(
            test::request(static_cast<std::uint64_t>(i / 100), i * 0.5, i * 0.5, i * 0.5 + 1, i * 0.5 + 2, 4));
    }
    writer.finish({}, "");
  }
  Diagnostics diagnostics;
  const auto record = results::read_run(temporary.path() / "run", diagnostics).value();
  CHECK(record.requests == 400);
  // 20 000 s: 500 samples 1 s apart, 500 of 2 s, 500 of 4 s, 500 of 8 s, 500 of 16 s, then 32 s: 2 500 + 4 500 / 32
  CHECK(record.samples.size() == Approx(2'500 + 141).margin(2));
  // Both instances busy: 50 + 2 · 700
  CHECK(record.samples.back().it_power_w == 1'450);
  CHECK(record.samples.back().pools.front().batch == 6);
  CHECK(record.samples.back().pools.front().kv_fraction == 0.5);
  CHECK(record.samples.back().requests_done == Approx(400).margin(1));
}
