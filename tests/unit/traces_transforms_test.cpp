#include <array>
#include <filesystem>

#include "models/base/invariant.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/traces_support.h"
#include "traces/text/byte_source.h"
#include "traces/transforms/transforms.h"
#include "traces/writers/canonical_writer.h"

using namespace rackwright;
using namespace rackwright::traces;

namespace {

constexpr SimTime ms(std::int64_t n) { return n * SimTime{1'000'000'000}; }

/// Requests written in a test, with the names "m1" and "m2" (ids 1 and 2) and "c" (id 3).
class Listed final : public RequestSource {
 public:
  explicit Listed(std::vector<Request> requests) : requests_(std::move(requests)) {
    for (std::size_t i = 0; i < requests_.size(); ++i) requests_[i].id = i;
  }
  bool next(Request& request) override {
    if (given_ == requests_.size()) return false;
    request = requests_[given_++];
    return true;
  }
  std::string_view name(std::uint32_t id) const override {
    static constexpr std::array<std::string_view, 4> names{"", "m1", "m2", "c, with \"quotes\""};
    return names.at(id);
  }

 private:
  std::vector<Request> requests_;
  std::size_t given_ = 0;
};

Request request_at(SimTime arrival, std::int32_t input = 10, std::int32_t output = 5) {
  Request request;
  request.arrival = arrival;
  request.input_tokens = input;
  request.output_tokens = output;
  return request;
}

std::vector<Request> drain(RequestSource& source) {
  std::vector<Request> all;
  Request request;
  while (source.next(request)) all.push_back(request);
  return all;
}

Requests listed(std::vector<Request> requests) { return std::make_unique<Listed>(std::move(requests)); }

}  // namespace

TEST_CASE("Scaling time scales arrivals and pauses, and keeps logged latencies") {
  Request second = request_at(ms(1000));
  second.parent = 0;
  second.think_time = ms(200);
  second.logged.first_token = ms(1100);
  second.logged.completion = ms(1500);
  const auto all = drain(*scale_time(listed({request_at({}), second}), 0.5));
  CHECK(all[1].arrival == ms(500));
  CHECK(all[1].think_time == ms(100));
  CHECK(all[1].logged.first_token == ms(600));
  CHECK(all[1].logged.completion == ms(1000));
  CHECK_THROWS_AS(scale_time(listed({}), 0), InvariantViolation);
}

TEST_CASE("A time slice counts from its start and renumbers; parents that were cut away are forgotten") {
  std::vector<Request> requests{request_at({}), request_at(ms(10)), request_at(ms(20)), request_at(ms(30)), request_at(ms(40))};
  requests[2].parent = 1;
  requests[3].parent = 2;
  requests[3].logged.completion = ms(35);
  RowCounts counts;
  const auto all = drain(*slice_time(listed(requests), ms(15), ms(40), counts));
  REQUIRE(all.size() == 2);
  CHECK(all[0].id == 0);
  CHECK(all[0].arrival == ms(5));
  CHECK_FALSE(all[0].parent);
  CHECK(all[1].parent == 0u);
  CHECK(all[1].logged.completion == ms(20));
  CHECK(counts.rows(RowCause::outside_slice) == 2);
  CHECK(counts.rows(RowCause::unknown_parent) == 1);
}

TEST_CASE("A count slice counts from its first request") {
  RowCounts counts;
  const auto all = drain(*slice_count(listed({request_at(ms(5)), request_at(ms(10)), request_at(ms(20)), request_at(ms(30))}), 1, 2, counts));
  REQUIRE(all.size() == 2);
  CHECK(all[0].arrival == SimTime{});
  CHECK(all[1].arrival == ms(10));
  CHECK(all[1].id == 1);
  CHECK(drain(*slice_count(listed({request_at({})}), 5, 2, counts)).empty());
}

TEST_CASE("Clipping cuts the input for the total, then the output, and drops the blocks behind the cut") {
  std::vector<Request> requests{request_at({}, 100, 20), request_at({}, 10, 200), request_at({}, 10, 5)};
  requests[0].block_tokens = 16;
  requests[0].block_hashes = {1, 2, 3, 4, 5, 6, 7};
  RowCounts counts;
  LengthLimits limits;
  limits.total_tokens = 64;
  const auto all = drain(*clip_lengths(listed(requests), limits, counts));
  CHECK(all[0].input_tokens == 44);
  CHECK(all[0].output_tokens == 20);
  CHECK(all[0].block_hashes == std::vector<std::uint64_t>{1, 2, 3});  // ⌈44/16⌉ = 3
  CHECK(all[1].input_tokens == 1);
  CHECK(all[1].output_tokens == 63);
  CHECK(all[2].input_tokens == 10);
  CHECK(counts.rows(RowCause::over_long) == 2);
  LengthLimits each;
  each.input_tokens = 7;
  each.output_tokens = 3;
  const auto short_ones = drain(*clip_lengths(listed(requests), each, counts));
  CHECK(short_ones[2].input_tokens == 7);
  CHECK(short_ones[2].output_tokens == 3);
}

TEST_CASE("Spreading a tick keeps the order, stays before the next tick, and depends on the seed alone") {
  std::vector<Request> requests;
  for (int i = 0; i < 50; ++i) requests.push_back(request_at(ms(i < 30 ? 0 : 3000), i + 1));
  requests.push_back(request_at(ms(4000)));
  requests[0].logged.completion = ms(100);
  RowCounts counts;
  const auto all = drain(*dequantize(listed(requests), ms(3000), 7, counts));
  REQUIRE(all.size() == 51);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i < 50) CHECK(all[i].input_tokens == static_cast<std::int32_t>(i) + 1);
    if (i > 0) CHECK(all[i - 1].arrival <= all[i].arrival);
  }
  CHECK(all[29].arrival < ms(3000));
  CHECK(all[30].arrival >= ms(3000));
  CHECK(all[49].arrival < ms(4000));
  CHECK(*all[0].logged.completion - all[0].arrival == ms(100));
  RowCounts again;
  CHECK(drain(*dequantize(listed(requests), ms(3000), 7, again))[10].arrival == all[10].arrival);
  CHECK(drain(*dequantize(listed(requests), ms(3000), 8, again))[10].arrival != all[10].arrival);
}

TEST_CASE("Models are renamed by name, the others by a star, and classes stay") {
  std::vector<Request> requests{request_at({}), request_at({}), request_at({})};
  requests[0].model = 1;
  requests[1].model = 2;
  requests[0].request_class = requests[1].request_class = 3;
  RowCounts counts;
  const auto source = rename_models(listed(requests), {{"m1", "llama"}, {"*", "other"}}, counts);
  const auto all = drain(*source);
  CHECK(source->name(all[0].model) == "llama");
  CHECK(source->name(all[1].model) == "other");
  CHECK(source->name(all[2].model) == "other");
  CHECK(source->name(all[0].request_class) == "c, with \"quotes\"");
  CHECK(counts.rows(RowCause::model_renamed) == 3);
}

TEST_CASE("A whole chain of changes is applied in the stated order") {
  TransformSpec spec;
  spec.from = ms(10);
  spec.count = 2;
  spec.time_scale = 2;
  spec.models = {{"*", "m"}};
  RowCounts counts;
  const auto source = transform(listed({request_at({}), request_at(ms(15)), request_at(ms(20)), request_at(ms(30))}), spec, counts);
  const auto all = drain(*source);
  REQUIRE(all.size() == 2);
  CHECK(all[1].arrival == ms(10));
  CHECK(source->name(all[0].model) == "m");
}

TEST_CASE("The canonical form gives the same requests back, bit for bit, in every form") {
  std::vector<Request> requests{request_at(SimTime{3}), request_at(SimTime{123'456'789'012'345'678}, 2'000'000'000, 1), request_at(SimTime{123'456'789'012'345'679})};
  requests[0].model = 1;
  requests[0].request_class = 3;
  requests[0].session = 0xfedcba9876543210u;
  requests[0].block_tokens = 512;
  requests[0].block_hashes = {0, 18'446'744'073'709'551'615u, 42};
  requests[0].logged.first_token = SimTime{5};
  requests[0].logged.completion = SimTime{1'000'000'000'001};
  requests[1].parent = 0;
  requests[1].think_time = SimTime{77};
  requests[1].session = requests[0].session;
  requests[2].model = 2;
  requests[2].parent = 1;
  const auto name = GENERATE(as<std::string>(), "t.csv", "t.jsonl", "t.csv.gz", "t.jsonl.zst");
  const test::TemporaryFolder folder;
  const std::string path = folder.path() / name;
  Diagnostics diagnostics;
  const auto form = canonical_form(path, diagnostics);
  REQUIRE(form);
  Listed source(requests);
  CHECK(write_canonical(source, path, *form) == 3);
  const Reading r = read_file(path);
  CAPTURE(r.messages());
  REQUIRE(r.requests.size() == 3);
  CHECK(r.report().format == "canonical");
  CHECK(r.messages().empty());
  for (std::size_t i = 0; i < 3; ++i) {
    const Request& a = requests[i];
    const Request& b = r.requests[i];
    CHECK(b.id == i);
    CHECK(b.arrival == a.arrival);
    CHECK(b.input_tokens == a.input_tokens);
    CHECK(b.output_tokens == a.output_tokens);
    CHECK(r.source->name(b.model) == source.name(a.model));
    CHECK(r.source->name(b.request_class) == source.name(a.request_class));
    CHECK(b.session == a.session);
    CHECK(b.block_hashes == a.block_hashes);
    CHECK(b.block_tokens == a.block_tokens);
    CHECK(b.parent == a.parent);
    CHECK(b.think_time == a.think_time);
    CHECK(b.logged.first_token == a.logged.first_token);
    CHECK(b.logged.completion == a.logged.completion);
  }
}

TEST_CASE("An unfinished file never appears under its name") {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() / "t.csv";
  {
    Diagnostics diagnostics;
    CanonicalWriter writer(path, *canonical_form(path, diagnostics));
    Listed source({request_at({})});
    writer.write(drain(source)[0], source);
  }
  CHECK_FALSE(std::filesystem::exists(path));
  CHECK(std::filesystem::is_empty(folder.path()));
  Diagnostics diagnostics;
  CHECK_FALSE(canonical_form("t.txt", diagnostics));
  CHECK(to_string(diagnostics.all()[0]) == "t.txt: error: the name does not tell the form to write (end it in .csv or .jsonl, and .gz or .zst if wanted)");
  CHECK_THROWS_AS(CanonicalWriter("/nonexistent/t.csv", {}), EnvironmentError);
}

TEST_CASE("A real trace with hashes goes through the canonical form unchanged") {
  const std::string path = test::shared_data("traces/mooncake/conversation_trace.jsonl").string();
  const Reading original = read_file(path);
  const test::TemporaryFolder folder;
  const std::string written = folder.path() / "t.jsonl.zst";
  Diagnostics diagnostics;
  const auto source = open_trace(path, {}, diagnostics);
  write_canonical(*source, written, *canonical_form(written, diagnostics));
  const Reading copy = read_file(written);
  REQUIRE(copy.requests.size() == original.requests.size());
  for (std::size_t i = 0; i < copy.requests.size(); ++i) {
    REQUIRE(copy.requests[i].arrival == original.requests[i].arrival);
    REQUIRE(copy.requests[i].input_tokens == original.requests[i].input_tokens);
    REQUIRE(copy.requests[i].block_hashes == original.requests[i].block_hashes);
  }
}
