#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/base/diagnostic.h"
#include "models/base/random.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/traces_support.h"
#include "traces/generators/generator.h"
#include "traces/transforms/transforms.h"
#include "traces/writers/canonical_writer.h"

using namespace rackwright;
using namespace rackwright::traces;

namespace {

/// Draws for one case; failing assertions print the seed.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : stream_(seed, "tests/property/traces", "cases") {}
  std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(stream_.uniform() * static_cast<double>(n)); }
  bool one_in(std::int64_t n) { return below(n) == 0; }

 private:
  RandomStream stream_;
};

struct Row {
  std::int64_t second = 0;
  std::int64_t input = 0;
  std::int64_t output = 0;
};

std::string csv(const std::vector<Row>& rows) {
  std::string text = "arrived_at,num_prefill_tokens,num_decode_tokens\n";
  for (const Row& row : rows) text += fmt::format("{},{},{}\n", row.second, row.input, row.output);
  return text;
}

std::string json(const std::vector<Row>& rows) {
  std::string text;
  for (const Row& row : rows) {
    text += fmt::format("{{\"num_decode_tokens\":{},\"arrived_at\":{}.0,\"num_prefill_tokens\":\"{}\"}}\n", row.output, row.second, row.input);
  }
  return text;
}

/// Times that mostly rise but fall back by up to `lateness`, below the 77,760 s at which a day's clock could wrap.
std::vector<Row> random_rows(Draws& draws, std::int64_t count, std::int64_t lateness) {
  std::vector<Row> rows;
  std::int64_t clock = 1'000;
  for (std::int64_t i = 0; i < count; ++i) {
    clock += draws.below(3);
    rows.push_back({std::max<std::int64_t>(0, clock - draws.below(lateness + 1)), draws.below(20), draws.below(8)});
  }
  return rows;
}

void require_same(const Reading& a, const Reading& b) {
  REQUIRE(a.requests.size() == b.requests.size());
  for (std::size_t i = 0; i < a.requests.size(); ++i) {
    REQUIRE(a.requests[i].arrival == b.requests[i].arrival);
    REQUIRE(a.requests[i].input_tokens == b.requests[i].input_tokens);
    REQUIRE(a.requests[i].output_tokens == b.requests[i].output_tokens);
  }
}

/// A stream of one of everything, at random.
class RandomRequests final : public RequestSource {
 public:
  RandomRequests(std::uint64_t seed, std::uint64_t count) : draws_(seed), count_(count) {}

  bool next(Request& r) override {
    if (given_ == count_) return false;
    r = {};
    r.id = given_++;
    arrival_ += SimTime{draws_.below(draws_.one_in(3) ? 1 : 1'000'000'000'000)};
    r.arrival = arrival_;
    r.input_tokens = static_cast<std::int32_t>(1 + draws_.below(3'000));
    r.output_tokens = static_cast<std::int32_t>(1 + draws_.below(500));
    r.model = static_cast<std::uint32_t>(draws_.below(3));
    r.request_class = static_cast<std::uint32_t>(draws_.below(3));
    if (draws_.one_in(2)) r.session = static_cast<std::uint64_t>(draws_.below(1'000'000'000)) << 30 | 1;
    if (draws_.one_in(2)) {
      r.block_tokens = 16;
      for (std::int64_t n = 1 + draws_.below(9); n > 0; --n) r.block_hashes.push_back(static_cast<std::uint64_t>(draws_.below(50)) * 0x1234567890abcdefu);
    }
    if (r.id > 0 && draws_.one_in(3)) {
      r.parent = static_cast<std::uint64_t>(draws_.below(static_cast<std::int64_t>(r.id)));
      r.think_time = SimTime{draws_.below(1'000'000'000)};
    }
    if (draws_.one_in(2)) r.logged.first_token = r.arrival + SimTime{draws_.below(1'000'000'000'000)};
    if (draws_.one_in(2)) r.logged.completion = r.logged.first_token.value_or(r.arrival) + SimTime{draws_.below(1'000'000'000'000)};
    return true;
  }
  std::string_view name(std::uint32_t id) const override { return std::array<std::string_view, 3>{"", "a \"b\", c\n", "d\xc3\xa9"}.at(id); }

 private:
  Draws draws_;
  std::uint64_t count_;
  std::uint64_t given_ = 0;
  SimTime arrival_;
};

std::vector<Request> drain(RequestSource& source) {
  std::vector<Request> all;
  Request request;
  while (source.next(request)) all.push_back(request);
  return all;
}

}  // namespace

TEST_CASE("However disordered a log and however little memory, the stream is the sorted log") {
  const auto seed = GENERATE(range<std::uint64_t>(0, 60));
  CAPTURE(seed);
  Draws draws(seed);
  const std::vector<Row> rows = random_rows(draws, 1 + draws.below(400), draws.below(draws.one_in(2) ? 20 : 2'000));
  std::vector<Row> sorted;
  std::ranges::copy_if(rows, std::back_inserter(sorted), [](const Row& row) { return row.input > 0 && row.output > 0; });
  if (sorted.empty()) return;
  std::ranges::stable_sort(sorted, {}, &Row::second);
  TraceOptions options;
  options.rows_in_memory = static_cast<std::size_t>(1 + draws.below(50));
  const Reading r = read_text(csv(rows), options);
  CAPTURE(r.messages());
  REQUIRE(r.requests.size() == sorted.size());
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    REQUIRE(r.requests[i].arrival.ps == (sorted[i].second - sorted[0].second) * picoseconds_per_second);
    REQUIRE(r.requests[i].input_tokens == sorted[i].input);
    REQUIRE(r.requests[i].output_tokens == sorted[i].output);
    REQUIRE(r.requests[i].id == i);
  }
  CHECK(r.report().requests + r.report().counts.dropped() == rows.size());
  // The same rows as JSON, and with everything in memory, are the same requests.
  TraceOptions vidur;
  vidur.format = "vidur";
  require_same(r, read_text(json(rows), vidur));
  require_same(r, read_text(csv(rows)));
}

TEST_CASE("A log cut off anywhere gives the requests before the cut, or says why it cannot") {
  const auto seed = GENERATE(range<std::uint64_t>(0, 20));
  CAPTURE(seed);
  Draws draws(seed);
  std::vector<Row> rows = random_rows(draws, 12, 0);
  for (Row& row : rows) row.input += 10, row.output += 10;
  const std::string text = draws.one_in(2) ? csv(rows) : json(rows);
  const std::size_t whole = read_text(text).requests.size();
  for (std::size_t cut = 0; cut < text.size(); ++cut) {
    const Reading r = read_text(text.substr(0, cut));
    CHECK(r.requests.size() <= whole);
    if (!r.opened()) CHECK(r.diagnostics.has_errors());
  }
}

TEST_CASE("Any stream goes through the canonical form unchanged") {
  const auto seed = GENERATE(range<std::uint64_t>(0, 24));
  CAPTURE(seed);
  const test::TemporaryFolder folder;
  const std::string path = folder.path() / std::array<std::string, 4>{"t.csv", "t.jsonl", "t.csv.zst", "t.jsonl.gz"}.at(seed % 4);
  Diagnostics diagnostics;
  RandomRequests source(seed, 300);
  write_canonical(source, path, *canonical_form(path, diagnostics));
  TraceOptions options;
  options.rows_in_memory = seed % 3 == 0 ? 10 : 1'000;
  const Reading r = read_file(path, options);
  RandomRequests again(seed, 300);
  const std::vector<Request> expected = drain(again);
  REQUIRE(r.requests.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const Request& a = expected[i];
    const Request& b = r.requests[i];
    REQUIRE(a.arrival == b.arrival);
    REQUIRE(a.session == b.session);
    REQUIRE(a.parent == b.parent);
    REQUIRE(a.think_time == b.think_time);
    REQUIRE(a.block_hashes == b.block_hashes);
    REQUIRE(a.logged.first_token == b.logged.first_token);
    REQUIRE(a.logged.completion == b.logged.completion);
    REQUIRE(again.name(a.model) == r.source->name(b.model));
    REQUIRE(again.name(a.request_class) == r.source->name(b.request_class));
  }
}

TEST_CASE("Changes keep a stream a stream: ids count up, arrivals do not decrease, parents come first") {
  const auto seed = GENERATE(range<std::uint64_t>(0, 60));
  CAPTURE(seed);
  Draws draws(seed);
  TransformSpec spec;
  spec.seed = seed;
  if (draws.one_in(2)) spec.dequantize_tick = SimTime{1 + draws.below(2'000'000'000'000)};
  if (draws.one_in(2)) spec.from = SimTime{draws.below(20) * picoseconds_per_second};
  if (draws.one_in(2)) spec.to = SimTime{(20 + draws.below(60)) * picoseconds_per_second};
  if (draws.one_in(2)) spec.skip = static_cast<std::uint64_t>(draws.below(50));
  if (draws.one_in(2)) spec.count = static_cast<std::uint64_t>(draws.below(100));
  if (draws.one_in(2)) spec.time_scale = std::exp2(static_cast<double>(draws.below(7) - 3));
  if (draws.one_in(2)) spec.limits.total_tokens = static_cast<std::int32_t>(2 + draws.below(1'000));
  if (draws.one_in(2)) spec.models = {{"*", "m"}};
  RowCounts counts;
  const auto source = transform(std::make_unique<RandomRequests>(seed, 200), spec, counts);
  SimTime last;
  std::uint64_t id = 0;
  for (const Request& r : drain(*source)) {
    REQUIRE(r.id == id++);
    REQUIRE(r.arrival >= last);
    REQUIRE((!r.parent || *r.parent < r.id));
    REQUIRE(r.input_tokens >= 1);
    REQUIRE(r.output_tokens >= 1);
    REQUIRE((!spec.limits.total_tokens || r.input_tokens + r.output_tokens <= *spec.limits.total_tokens));
    REQUIRE((!r.logged.first_token || *r.logged.first_token >= r.arrival));
    last = r.arrival;
  }
}

TEST_CASE("Whatever a generator is asked for, its arrivals do not decrease and its lengths stay in their tables") {
  const auto seed = GENERATE(range<std::uint64_t>(0, 40));
  CAPTURE(seed);
  Draws draws(seed);
  GeneratorSpec spec;
  spec.name = "property";
  spec.arrivals.kind = static_cast<ArrivalSpec::Kind>(draws.below(5));
  spec.arrivals.rate_per_s = std::exp2(static_cast<double>(draws.below(20)) - 8);
  spec.arrivals.cv = 0.05 + static_cast<double>(draws.below(100)) / 10;
  spec.arrivals.bursts = {static_cast<double>(1 + draws.below(100)) / 10, 1, static_cast<double>(draws.below(100)), 2, 1};
  if (draws.one_in(2)) spec.profile = {static_cast<double>(1 + draws.below(50)), {0, 1, static_cast<double>(draws.below(5)), 3}};
  spec.input_tokens = QuantileTable({{0, 5}, {0.3, 5}, {1, 50}});
  spec.output_tokens = QuantileTable::constant(7);
  spec.count = 2'000;
  Diagnostics diagnostics;
  REQUIRE(check_generator(spec, "generator", diagnostics));
  SimTime last;
  const auto source = make_generator(spec, seed);
  for (const Request& r : drain(*source)) {
    REQUIRE(r.arrival >= last);
    REQUIRE(r.input_tokens >= 5);
    REQUIRE(r.input_tokens <= 50);
    REQUIRE(r.output_tokens == 7);
    last = r.arrival;
  }
}
