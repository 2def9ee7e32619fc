#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>

#include "models/base/invariant.h"
#include "scenarios/results/run_folder.h"
#include "scenarios/results/summary_json.h"
#include "scenarios/results/timeline_csv.h"
#include "sim/metrics/recovered_run.h"
#include "tests/support/catch.h"
#include "tests/support/synthetic_run.h"
#include "tests/support/temporary_folder.h"

using namespace rackwright;
using namespace rackwright::results;
namespace fs = std::filesystem;

namespace {

std::string first_row(const RequestOutcome& request) {
  auto run = test::one_pool(2);
  run.classes = {{}, {"voice, urgent", {}}};
  std::string text;
  RequestsCsv(run).append(text, request);
  return text;
}

RunResults some_results() {
  RunResults results;
  results.summary.requests = {.total = 3, .completed = 3};
  results.summary.duration_s = 12.5;
  results.summary.warnings = {"no effect: speculation.draft_tokens, because there is no draft"};
  results.timeline = {1, 2.5, {{"it_power_w", {100, 0.1, 1e6}}, {"pools.chat.queue", {0, 1.0 / 3, 2}}}};
  results.curves = {{"ttft", 3, true, std::vector<double>(curve_probabilities.size(), 0.25)}};
  return results;
}

RunDescription some_run() {
  auto run = test::one_pool(2);
  run.classes = {{"", {{LatencyMetric::tpot, 0.95, sim_time(0.04)}}}, {"batch", {}}};
  run.inputs = {{"trace", "conv.csv", 0x0123456789abcdef}};
  run.trace_report = {"kept 3 of 4 rows", "dropped 1 row: no output tokens"};
  run.unverified_figures = {"node hgx-h20: height"};
  run.resolved_scenario = "schema: rackwright/v1\nname: synthetic\n";
  return run;
}

RequestOutcome row(std::uint64_t id) {
  const double arrival = 0.5 + 0.125 * static_cast<double>(id);
  auto r = test::request(id, arrival, arrival + 0.25, arrival + 1, arrival + 2.25, 6);
  r.instance = static_cast<std::uint32_t>(id % 2);
  r.longest_gap = sim_time(0.3);
  if (id == 1) r.logged.first_token = sim_time(0.1);  // Before its arrival: a negative distance.
  if (id == 2) r.logged.completion = r.arrival;
  if (id % 3 == 0) {
    r.session = 0x0123456789abcdef + id;
    r.tool_time = sim_time(2.5);
    r.tool_wait = sim_time(0.25);
    r.other_tokens = 17;
  }
  if (id % 4 == 0) {
    r.first_visible = r.first_token + sim_time(0.125);
    r.turn = results::SpokenTurn{r.arrival - sim_time(0.3), r.first_token + sim_time(0.5), sim_time(0.0625), r.last_token + sim_time(4), sim_time(0.06), sim_time(0.2), sim_time(0.1)};
  }
  return r;
}

bool same(const RequestOutcome& a, const RequestOutcome& b) { return first_row(a) == first_row(b); }

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

RunRecord read_back(const fs::path& path) {
  Diagnostics diagnostics;
  auto record = read_run(path, diagnostics);
  REQUIRE(record);
  return *record;
}

/// The message of the error that refuses a path as a run.
std::string refusal(const fs::path& path) {
  Diagnostics diagnostics;
  CHECK_FALSE(read_run(path, diagnostics));
  REQUIRE(diagnostics.error_count() == 1);
  return diagnostics.all().front().message;
}

void write_whole_run(const fs::path& folder, ExistingFolder existing = ExistingFolder::refuse) {
  RunFolderWriter writer(folder, existing, some_run());
  for (std::uint64_t id = 0; id < 3; ++id) writer.add(row(id));
  writer.add(LiveSample{sim_time(1), 1, 6, 250, {{4, 2, 0.5}}});
  writer.finish(some_results(), "<html></html>");
}

}  // namespace

TEST_CASE("A row of requests.csv gives times exactly, without trailing zeros") {
  auto r = test::request(7, 1.5, 1.5, 2, 3, 3);
  r.last_token = {2'750'000'000'001};
  r.longest_gap = sim_time(0.5);
  r.request_class = 1;
  r.logged.first_token = sim_time(2.25);
  // TPOT = 0.750000000001 s / 2, rounded down
  CHECK(first_row(r) ==
        "7,\"voice, urgent\",chat,0,completed,1.5,1.5,2,2.750000000001,0,0.5,0.375,1.250000000001,0.5,100,0,3,0,0.75,,,,,,,,,\n");
}

TEST_CASE("A request that was not served has empty cells, not zeros") {
  auto r = test::request(8, 0, 0, 0, 0, 0);
  r.arrival = {1};
  r.outcome = Outcome::rejected;
  CHECK(first_row(r) == "8,,chat,0,rejected,0.000000000001,,,,,,,,,100,0,0,0,,,,,,,,,,\n");
}

TEST_CASE("Every row has the columns of the header") {
  const auto commas = [](const std::string& line) { return std::ranges::count(line, ','); };
  CHECK(commas(RequestsCsv::header()) == commas(first_row(row(2))));
}

TEST_CASE("timeline.csv has a line for each bin and reads back to the same numbers") {
  CHECK(to_csv(some_results().timeline) ==
        "time_s,it_power_w,pools.chat.queue\n0,100,0\n1,0.1,0.3333333333333333\n2,1000000,2\n");
}

TEST_CASE("A run folder gets its name when it is whole, and reads back") {
  const test::TemporaryFolder temporary;
  const fs::path folder = temporary.path() / "run";
  {
    RunFolderWriter writer(folder, ExistingFolder::refuse, some_run());
    for (std::uint64_t id = 0; id < 10'000; ++id) writer.add(row(id));
    CHECK_FALSE(fs::exists(folder));
    writer.finish(some_results(), "<html></html>");
  }
  CHECK(names_in(temporary.path()) == std::vector<std::string>{"run"});
  CHECK(names_in(folder) == std::vector<std::string>{"report.html", "requests.csv", "run.pb", "scenario.resolved.yaml",
                                                     "summary.json", "timeline.csv"});
  std::uint64_t next = 0;
  Diagnostics diagnostics;
  const RunRecord record =
      read_run(folder, diagnostics, [&](const RunDescription& run, std::span<const RequestOutcome> rows) {
        CHECK(run.scenario == "synthetic");
        for (const RequestOutcome& r : rows) CHECK(same(r, row(next++)));
      }).value();
  CHECK(next == 10'000);
  CHECK_FALSE(record.is_partial());
  CHECK(record.requests == 10'000);
  CHECK(record.run.scenario == "synthetic");
  CHECK(record.run.inputs.front().hash == 0x0123456789abcdef);
  CHECK(record.run.trace_report.size() == 2);
  CHECK(record.run.unverified_figures == some_run().unverified_figures);
  CHECK(record.run.classes.front().targets.front().limit == sim_time(0.04));
  CHECK(*record.run.racks.front().power_budget_w == 5'000);
  CHECK(to_csv(record.timeline) == to_csv(some_results().timeline));
  CHECK(record.curves.front().values_s == some_results().curves.front().values_s);
  CHECK(to_json(*record.summary) == read_file(folder / "summary.json"));
}

TEST_CASE("The same run gives the same bytes") {
  const test::TemporaryFolder temporary;
  write_whole_run(temporary.path() / "a");
  write_whole_run(temporary.path() / "b");
  for (const std::string& name : names_in(temporary.path() / "a")) {
    CHECK(read_file(temporary.path() / "a" / name) == read_file(temporary.path() / "b" / name));
  }
}

TEST_CASE("A stream that breaks off anywhere opens and says that it is partial") {
  const test::TemporaryFolder temporary;
  write_whole_run(temporary.path() / "run");
  const std::string whole = read_file(temporary.path() / "run" / "run.pb");
  const fs::path cut = temporary.path() / "cut.pb";
  std::size_t opened = 0;
  for (std::size_t length = 0; length < whole.size(); length += 5) {
    write_file(cut, whole.substr(0, length));
    Diagnostics diagnostics;
    const auto record = read_run(cut, diagnostics);
    if (!record) {
      CHECK(opened == 0);  // Only before the header is whole.
      CHECK(diagnostics.has_errors());
      continue;
    }
    CHECK(record->is_partial());
    CHECK_FALSE(record->summary);
    ++opened;
  }
  CHECK(opened > 100);
}

TEST_CASE("A damaged stream is reported, whatever byte is wrong") {
  const test::TemporaryFolder temporary;
  write_whole_run(temporary.path() / "run");
  const std::string whole = read_file(temporary.path() / "run" / "run.pb");
  const fs::path bad = temporary.path() / "bad.pb";
  for (std::size_t at = 0; at < whole.size(); at += 5) {
    std::string text = whole;
    text[at] = static_cast<char>(text[at] ^ 0x55);
    write_file(bad, text);
    Diagnostics diagnostics;
    CHECK_NOTHROW(metrics::recover_run(bad, diagnostics));
  }
  write_file(bad, "");
  CHECK(refusal(bad) == "the stream holds no whole record");
  write_file(bad, "\x05hello");
  CHECK(refusal(bad) == "a record of the stream does not parse");
  CHECK(refusal(temporary.path()) == "the folder holds no run: it has no run.pb");
  CHECK(refusal(temporary.path() / "nothing") == "there is no such run");
}

TEST_CASE("A stream can be followed while it is written") {
  const test::TemporaryFolder temporary;
  const fs::path path = temporary.path() / "run.pb";
  RunStreamWriter writer(path, some_run());
  RunStreamReader reader(path);
  CHECK(std::holds_alternative<RunDescription>(*reader.next()));
  CHECK_FALSE(reader.next());
  writer.add(LiveSample{sim_time(1), 5, 40, 300, {}});
  writer.flush();
  CHECK(std::get<LiveSample>(*reader.next()).requests_done == 5);
  CHECK_FALSE(reader.next());
  CHECK_FALSE(reader.ended());
  writer.end("{}");
  CHECK(std::holds_alternative<StreamEnd>(*reader.next()));
  CHECK(reader.ended());
}

// m micro-batches keep the slowest of the four always busy from m T_f >= T_a + T_s + T_e + T_r on.
TEST_CASE("The slowest part of a layer binds once micro-batches fill the round trip") {
  LayerSides sides{.name = "attention", .sequences = 96, .attention_s = 100e-6, .feed_forward_s = 80e-6, .send_s = 40e-6, .return_s = 60e-6};
  CHECK(sides.round_s() == Approx(280e-6));
  sides.micro_batches = 2;  // 200 of 280.
  CHECK(sides.binds() == "round trip");
  sides.micro_batches = 3;  // 300 of 280.
  CHECK(sides.binds() == "attention");
  sides.feed_forward_s = 120e-6;
  CHECK(sides.binds() == "feed-forward");
  sides.return_s = 200e-6;  // The largest of four is at least a quarter of their sum, and here nearly half.
  CHECK(sides.binds() == "exchange");
}

TEST_CASE("Both sides of the layers read back from a summary as they were written") {
  RunSummary summary;
  summary.layer_sides = {{"a", 96, 3, 1e-4, 8e-5, 4e-5, 6e-5}, {"b", 8, 1, 2e-4, 3e-4, 0, 0}};
  const std::string text = to_json(summary);
  CHECK(to_json(parse_summary(text)) == text);
  const RunSummary back = parse_summary(text);
  REQUIRE(back.layer_sides.size() == 2);
  CHECK(back.layer_sides[1].name == "b");
  CHECK(back.layer_sides[1].feed_forward_s == 3e-4);
  CHECK(to_json(RunSummary{}).find("layer_sides") == std::string::npos);
}

TEST_CASE("A name that is taken is refused or replaced, as asked, and never anything but a run") {
  const test::TemporaryFolder temporary;
  const fs::path folder = temporary.path() / "run";
  write_whole_run(folder);
  CHECK(is_taken(folder));
  CHECK_THROWS_AS(write_whole_run(folder), EnvironmentError);
  CHECK(names_in(temporary.path()) == std::vector<std::string>{"run"});
  write_whole_run(folder, ExistingFolder::replace);
  CHECK(names_in(temporary.path()) == std::vector<std::string>{"run"});

  const fs::path photos = temporary.path() / "photos";
  fs::create_directory(photos);
  write_file(photos / "holiday.jpg", "precious");
  CHECK_THROWS_AS(write_whole_run(photos, ExistingFolder::replace), EnvironmentError);
  CHECK(read_file(photos / "holiday.jpg") == "precious");

  fs::create_directory(temporary.path() / "empty");
  CHECK_FALSE(is_taken(temporary.path() / "empty"));
  write_whole_run(temporary.path() / "empty");
  CHECK(fs::exists(temporary.path() / "empty" / "run.pb"));
}

TEST_CASE("Runs that are numbered take the first name that is neither taken nor being written") {
  const test::TemporaryFolder temporary;
  const fs::path folder = temporary.path() / "run/";
  RunFolderWriter first(folder, ExistingFolder::number, some_run());
  RunFolderWriter second(folder, ExistingFolder::number, some_run());
  CHECK(first.folder() == temporary.path() / "run");
  CHECK(second.folder() == temporary.path() / "run-2");
  first.finish({}, "");
  const RunFolderWriter third(folder, ExistingFolder::number, some_run());
  CHECK(third.folder() == temporary.path() / "run-3");
  second.finish({}, "");
  CHECK(names_in(temporary.path()) == std::vector<std::string>{"run", "run-2", "run-3.partial"});
  CHECK_FALSE(fs::exists(temporary.path() / "run-2" / ".lock"));
}

TEST_CASE("A run that ends early leaves a partial folder that the next one replaces") {
  const test::TemporaryFolder temporary;
  const fs::path folder = temporary.path() / "run";
  {
    RunFolderWriter writer(folder, ExistingFolder::refuse, some_run());
    writer.add(row(0));
    CHECK_THROWS_AS(RunFolderWriter(folder, ExistingFolder::refuse, some_run()), EnvironmentError);  // Still in use.
    auto results = some_results();
    results.summary.status = RunStatus::stalled;
    results.summary.status_reason = "request 1 waits for KV blocks";
    writer.keep_partial(results, "");
  }
  CHECK_FALSE(fs::exists(folder));
  const RunRecord record = read_back(temporary.path() / "run.partial");
  CHECK(record.partial_reason == "request 1 waits for KV blocks");
  CHECK(record.summary);
  write_whole_run(folder);
  CHECK(names_in(temporary.path()) == std::vector<std::string>{"run"});
}

TEST_CASE("A folder that cannot be made is a failure of the environment") {
  const test::TemporaryFolder temporary;
  write_file(temporary.path() / "file", "");
  CHECK_THROWS_AS(write_whole_run(temporary.path() / "file" / "run"), EnvironmentError);
}

TEST_CASE("A full disk leaves nothing under the final name") {
  // A limit on file size stands in for the disk: writing past it fails as a full disk does.
  const test::TemporaryFolder temporary;
  const fs::path folder = temporary.path() / "run";
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{100'000, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  CHECK_THROWS_AS(
      [&] {
        RunFolderWriter writer(folder, ExistingFolder::refuse, some_run());
        for (std::uint64_t id = 0; id < 100'000; ++id) writer.add(row(id));
        writer.finish(some_results(), "");
      }(),
      EnvironmentError);
  setrlimit(RLIMIT_FSIZE, &before);
  CHECK_FALSE(fs::exists(folder));
}

TEST_CASE("A million rows are written in well under a second", "[.benchmark]") {
  const test::TemporaryFolder temporary;
  const auto begin = std::chrono::steady_clock::now();
  RunFolderWriter writer(temporary.path() / "run", ExistingFolder::refuse, some_run());
  auto r = row(0);
  for (std::uint64_t id = 0; id < 1'000'000; ++id) {
    r.id = id;
    r.arrival += SimTime{123'456'789'012};
    r.scheduled = r.arrival + SimTime{987'654'321};
    r.first_token = r.arrival + SimTime{187'654'321'123};
    r.last_token = r.arrival + SimTime{9'187'654'321'123 + static_cast<std::int64_t>(id) * 1'001};
    writer.add(r);
  }
  writer.finish(some_results(), "");
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  WARN("requests.csv and run.pb together: " << took.count() << " s, "
                                            << fs::file_size(temporary.path() / "run" / "requests.csv") << " + "
                                            << fs::file_size(temporary.path() / "run" / "run.pb") << " bytes");
}
