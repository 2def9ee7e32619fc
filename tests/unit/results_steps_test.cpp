// steps.pb: what goes in comes out, in any window, and damage is told.
#include <atomic>
#include <filesystem>
#include <fstream>

#include "models/base/random.h"
#include "scenarios/results/damaged_stream.h"
#include "scenarios/results/steps_reader.h"
#include "scenarios/results/steps_writer.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace rackwright;
using namespace rackwright::results;

namespace {

const std::atomic<bool> never{false};

/// Ten decoding sequences for five steps of 10, 13, 16, 19, 22 ps from `start`.
StepStretch ageing(std::int64_t start) {
  StepStretch s;
  s.start = {start};
  s.steps = 5;
  s.first = s.duration = {10};
  s.growth = {3};
  s.end = {start + 80};
  s.decode_sequences = 10;
  return s;
}

/// Stretches of `instances` instances, with gaps between them, clocks that changed within a step and steps cut at their end.
std::vector<StepStretch> random_stretches(std::uint64_t seed, std::uint32_t instances, int count) {
  RandomStream draw(seed, "tests", "steps");
  std::vector<SimTime> free(instances);
  std::vector<StepStretch> all;
  for (int i = 0; i < count; ++i) {
    StepStretch s;
    s.instance = static_cast<std::uint32_t>(draw() % instances);
    s.steps = static_cast<std::int64_t>(draw() % 100);
    s.duration = {static_cast<std::int64_t>(1 + draw() % 20'000'000'000)};
    s.growth = {static_cast<std::int64_t>(draw() % 1'000'000)};
    s.first = draw() % 10 == 0 ? SimTime{s.duration.ps / 3} : s.duration;
    s.start = free[s.instance] + SimTime{draw() % 4 == 0 ? static_cast<std::int64_t>(draw() % 50'000'000'000) : 0};
    s.end = s.boundary(s.steps) + SimTime{draw() % 10 == 0 || s.steps == 0 ? static_cast<std::int64_t>(1 + draw() % 1'000'000) : 0};
    s.decode_sequences = static_cast<std::int32_t>(draw() % 200);
    s.prefill_sequences = static_cast<std::int32_t>(draw() % 3);
    s.prefill_tokens = s.prefill_sequences * 100;
    s.extra_tokens = draw() % 5 == 0 ? s.steps * 2 : 0;
    s.waiting = static_cast<std::int32_t>(draw() % 10);
    s.kv_blocks = 1000;
    s.kv_blocks_used = static_cast<std::int64_t>(draw() % 1000);
    s.power_mw = 700'000;
    free[s.instance] = s.end;
    all.push_back(s);
  }
  return all;
}

void write(const std::filesystem::path& path, const std::vector<StepStretch>& stretches, std::uint32_t instances) {
  StepsWriter writer(path, instances);
  for (const StepStretch& s : stretches) writer.add(s);
  writer.end();
}

auto fields(const StepStretch& s) {
  return std::tuple(s.instance, s.start, s.end, s.steps, s.first, s.duration, s.growth, s.decode_sequences, s.prefill_sequences, s.prefill_tokens,
                    s.extra_tokens, s.waiting, s.kv_blocks_used, s.kv_blocks, s.power_mw);
}

void check_equal(const StepTotals& a, const StepTotals& b) {
  CHECK(a.busy_ps == b.busy_ps);
  CHECK(a.steps == b.steps);
  CHECK(a.prefill_tokens == b.prefill_tokens);
  CHECK(a.decode_tokens == b.decode_tokens);
  CHECK(a.largest_batch == b.largest_batch);
  CHECK(a.sequence_s == Approx(b.sequence_s).epsilon(1e-9));
}

}  // namespace

TEST_CASE("Every step of a stretch that was jumped over follows from it") {
  // Boundaries 100, 110, 123, 139, 158, 180.
  const StepStretch whole = ageing(100);
  CHECK(whole.boundary(0).ps == 100);
  CHECK(whole.boundary(2).ps == 123);
  CHECK(whole.boundary(5).ps == 180);
  CHECK(whole.steps_ended({122}) == 1);
  CHECK(whole.steps_ended({123}) == 2);
  // A clock that changed in the first step left it 4 ps here: boundaries 100, 104, 117, 133, 152, 174; then 6 ps of a step that was cut.
  StepStretch changed = whole;
  changed.first = {4};
  CHECK(changed.boundary(1).ps == 104);
  CHECK(changed.boundary(5).ps == 174);
  CHECK(changed.steps_ended({103}) == 0);
  CHECK(changed.steps_ended({174}) == 5);
  CHECK(changed.steps_ended({180}) == 5);
}

TEST_CASE("A step counts in the window in which it ends, its time where it passes") {
  // (110, 139] holds the ends of steps 1 and 2 and 29 ps of ten sequences.
  const StepTotals part = totals_within(ageing(100), {110}, {139});
  CHECK(part.steps == 2);
  CHECK(part.decode_tokens == 20);
  CHECK(part.busy() == 29);
  CHECK(part.mean_batch() == Approx(10));
  CHECK(totals_within(ageing(100), {180}, {500}).busy() == 0);
}

TEST_CASE("What a step computes is told by its prompts and its decoding sequences") {
  StepStretch s = ageing(0);
  CHECK(s.kind() == StepKind::decode);
  s.prefill_sequences = 1;
  s.prefill_tokens = 7;
  CHECK(s.kind() == StepKind::mixed);
  s.decode_sequences = 0;
  CHECK(s.kind() == StepKind::prefill);
  s.prefill_sequences = s.prefill_tokens = 0;
  CHECK(s.kind() == StepKind::other);
}

TEST_CASE("Steps are read back as they were written, instance by instance") {
  const test::TemporaryFolder temporary;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    CAPTURE(seed);
    const auto path = temporary.path() / "steps.pb";
    const std::vector<StepStretch> written = random_stretches(seed, 3, 4000);
    write(path, written, 4);
    const StepsReader reader(path, never);
    CHECK(reader.partial_reason().empty());
    REQUIRE(reader.instances() == 4);
    CHECK(reader.rows(3) == 0);
    std::int64_t rows = 0;
    for (std::uint32_t instance = 0; instance < 4; ++instance) {
      std::vector<StepStretch> own;
      for (const StepStretch& s : written) {
        if (s.instance == instance) own.push_back(s);
      }
      std::vector<StepStretch> read;
      for (const StepBlock& block : reader.blocks(instance)) {
        CHECK(block.first_row == static_cast<std::int64_t>(read.size()));
        const std::vector<StepStretch> part = reader.read(block);
        read.insert(read.end(), part.begin(), part.end());
      }
      REQUIRE(read.size() == own.size());
      for (std::size_t i = 0; i < read.size(); ++i) REQUIRE(fields(read[i]) == fields(own[i]));
      rows += reader.rows(instance);
    }
    CHECK(rows == 4000);
  }
}

TEST_CASE("What a window shows is what its stretches add up to, however it is cut, and no time or token is lost") {
  const test::TemporaryFolder temporary;
  const auto path = temporary.path() / "steps.pb";
  const std::vector<StepStretch> written = random_stretches(9, 1, 5000);
  write(path, written, 1);
  const StepsReader reader(path, never);
  RandomStream draw(4, "tests", "windows");
  for (int trial = 0; trial < 40; ++trial) {
    const auto from = static_cast<std::int64_t>(draw() % static_cast<std::uint64_t>(reader.end().ps));
    const SimTime begin{trial == 0 ? 0 : from};
    const SimTime end{trial == 0 ? reader.end().ps : from + 1 + static_cast<std::int64_t>(draw() % static_cast<std::uint64_t>(reader.end().ps - from))};
    const std::size_t columns = 1 + draw() % 700;
    const std::vector<StepTotals> parts = reader.totals(0, begin, end, columns);
    REQUIRE(parts.size() == columns);
    StepTotals shown;
    for (const StepTotals& part : parts) shown += part;
    StepTotals expected;
    for (const StepStretch& s : written) expected += totals_within(s, begin, end);
    check_equal(shown, expected);
  }
  const auto few = reader.stretches(0, written[70].start, written[80].end, 20);
  CHECK(few.size() == 11);
  CHECK(reader.stretches(0, {0}, reader.end(), 20).empty());
}

TEST_CASE("Steps of a run that was killed are there up to the break") {
  const test::TemporaryFolder temporary;
  const auto path = temporary.path() / "steps.pb";
  write(path, random_stretches(2, 1, 3000), 1);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  const StepsReader reader(path, never);
  CHECK_FALSE(reader.partial_reason().empty());
  CHECK(reader.rows(0) > 0);
  CHECK(reader.rows(0) % static_cast<std::int64_t>(StepsWriter::block_stretches) == 0);
}

TEST_CASE("A file that holds no steps, or steps of a later format, is refused") {
  const test::TemporaryFolder temporary;
  const auto path = temporary.path() / "steps.pb";
  std::ofstream(path) << "no steps";
  CHECK_THROWS_AS(StepsReader(path, never), DamagedStream);
  std::ofstream(path, std::ios::trunc | std::ios::binary) << std::string("\x04\x0a\x02\x08\x02", 5);
  CHECK_THROWS_WITH(StepsReader(path, never), test::contains("newer"));
}
