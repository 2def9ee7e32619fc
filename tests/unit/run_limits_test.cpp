#include <fmt/format.h>

#include <fstream>
#include <stdexcept>

#include "tests/support/catch.h"
#include "tests/support/scenario_run.h"
#include "tests/support/temporary_folder.h"

using namespace rackwright;
using results::RunStatus;
using scenarios::Setting;
using test::run_scenario;
using test::ScenarioRun;
using Settings = std::vector<Setting>;

namespace {

const std::string head =
    "schema: rackwright/v1\n"
    "workload: {generator: {input_tokens: 512, output_tokens: 64}, rate: 10 /s, requests: 30}\n"
    "facility: {racks: [{name: a, rack: hgx-h200-air}]}\n";
const std::string one = head + "deployment: [{pool: c, model: llama-3.1-8b, on: a}]\n";
const std::string prefill_decode = head +
                                   "deployment: [{pool: p, role: prefill, model: llama-3.1-8b, on: \"a[0]\"}, "
                                   "{pool: d, role: decode, model: llama-3.1-8b, on: \"a[1]\"}]\n";
const std::string tiers =
    "schema: rackwright/v1\n"
    "workload: {generator: mooncake-conversation, rate: 4 /s, requests: 60}\n"
    "facility: {racks: [{name: a, rack: hgx-h200-air}]}\n"
    "deployment: [{pool: c, model: llama-3.1-8b, on: \"a[0]\", kv_cache: {blocks: 3000, tiers: [{tier: h, capacity: 100 GB}]}}]\n";

ScenarioRun run(const std::string& text, const Settings& settings) { return run_scenario(text, serving::Jumping::on, settings); }

/// What the first error says; "" without one.
std::string refusal(const std::string& text, const Settings& settings) {
  try {
    run(text, settings);
    return {};
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

bool says(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

/// The greatest value of a column of timeline.csv.
double greatest(const ScenarioRun& run, const std::string& column) {
  std::istringstream lines(run.timeline_csv);
  std::string line;
  std::getline(lines, line);
  std::size_t at = 0;
  {
    std::istringstream names(line);
    for (std::string name; std::getline(names, name, ','); ++at)
      if (name == column) break;
  }
  double most = 0;
  while (std::getline(lines, line)) {
    std::istringstream cells(line);
    std::string cell;
    for (std::size_t i = 0; i <= at; ++i) std::getline(cells, cell, ',');
    most = std::max(most, std::stod(cell));
  }
  return most;
}

}  // namespace

TEST_CASE("KV on its way is progress no longer than the limit allows, and the stall names the request and where it goes") {
  // 512 tokens of 128 KiB are 67 MB: 6.7 s at 10 MB/s, of which no request may wait more than one.
  const ScenarioRun slow = run(prefill_decode, {{"deployment.d.kv_transfer.bandwidth", "10 MB/s"}, {"limits.no_progress", "1 s"}});
  CHECK(slow.summary.status == RunStatus::stalled);
  CHECK(says(slow.summary.status_reason, "request 0 makes no progress: its KV has been on its way to instance 1 of pool d"));
  // 200 s for all of them together are well within the default of an hour.
  CHECK(run(prefill_decode, {{"deployment.d.kv_transfer.bandwidth", "10 MB/s"}}).summary.status == RunStatus::complete);

  const ScenarioRun late = run(prefill_decode, {{"deployment.d.kv_transfer.latency", "2 h"}});
  CHECK(late.summary.status == RunStatus::stalled);
  // The partial run ends where it was stopped, with what the idle hall has drawn until then.
  CHECK(late.summary.duration_s >= 3500);
  REQUIRE(late.summary.it);
  CHECK(late.summary.it->energy_j > late.summary.duration_s * 2200);
}

TEST_CASE("A load from a lower tier that takes longer than the limit stops the run") {
  for (const Setting& setting : Settings{{"latency", "3 h"}, {"latency", "1e12 s"}, {"bandwidth", "1 B/s"}, {"bandwidth", "1e-300 B/s"}}) {
    CAPTURE(setting.path, setting.value);
    const ScenarioRun stalled = run(tiers, {{"deployment.c.kv_cache.tiers.h." + setting.path, setting.value}});
    CHECK(stalled.summary.status == RunStatus::stalled);
    CHECK(says(stalled.summary.status_reason, "its KV has been on its way from a lower tier of instance 0 of pool c"));
  }
}

TEST_CASE("A limit on progress, or a period of control, below a millisecond is refused") {
  CHECK(says(refusal(one, {{"limits.no_progress", "1 ps"}}), "limits.no_progress"));
  CHECK(refusal(one, {{"limits.no_progress", "1 ms"}}).empty());
}

TEST_CASE("Times beyond the 106 days that are counted stop a run, wherever they come from") {
  const auto expect = [](const std::string& text, const Settings& settings, const char* reason) {
    const ScenarioRun stopped = run(text, settings);
    CAPTURE(settings.front().path, settings.front().value, stopped.summary.status_reason);
    CHECK(stopped.summary.status == RunStatus::stalled);
    CHECK(says(stopped.summary.status_reason, reason));
    CHECK(stopped.summary.duration_s >= 0);
  };
  expect(one, {{"deployment.c.step_times", "{prefill: 1e300 s, decode: 1 ms}"}}, "simulated time beyond 106 days");
  expect(one, {{"deployment.c.step_times", "{prefill: 1 ms, decode: {per_context_token: 1e5 s}}"}}, "simulated time beyond 106 days");
  expect(one, {{"deployment.c.stage_link", "1 B/s"}, {"deployment.c.pipeline_parallel", "2"}}, "simulated time beyond 106 days");
  expect(prefill_decode, {{"deployment.d.kv_transfer.latency", "1e10 s"}}, "its KV has been on its way");
  expect(prefill_decode, {{"deployment.d.kv_transfer", "{when: after, copies: 100000, wait_per_copy: 1 h}"}}, "its KV has been on its way");
}

TEST_CASE("Powers that cannot be are refused") {
  CHECK(says(refusal(one, {{"deployment.c.step_times", "{prefill: 1 ms, decode: 1 ms, power: 10 W}"}}), "step_times.power"));
  CHECK(refusal(one, {{"deployment.c.step_times", "{prefill: 1 ms, decode: 1 ms, power: 300 W}"}}).empty());
  CHECK(says(refusal(one, {{"facility.racks.a.rack.node.device.power.limit", "10 W"}}), "power.limit"));
  CHECK(says(refusal(one, {{"facility.racks.a.rack.node.base_power", "1e300 W"}}), "base_power"));
}

TEST_CASE("What is in a pipeline when its time is up counts until then") {
  const ScenarioRun cut = run(one, {{"deployment.c.pipeline_parallel", "2"}, {"limits.simulated_time", "2 s"}});
  CHECK(cut.summary.duration_s <= 2);
  CHECK(greatest(cut, "pools.c.utilization") > 0);
  CHECK(greatest(cut, "pools.c.utilization") <= 1);
  // Eight boards of 700 W and the node.
  CHECK(greatest(cut, "it_power_w") <= 8 * 700 + 5000);
}

TEST_CASE("Sequences that share a prefix fill no more of the KV memory than there is") {
  const ScenarioRun shared = run(tiers, {});
  CHECK(greatest(shared, "pools.c.kv_fraction") > 0.5);
  CHECK(greatest(shared, "pools.c.kv_fraction") <= 1);
}

TEST_CASE("A warm-up that no request outlasts is refused at its place") {
  const std::string text = one + "output:\n  window: {warm_up: 10 min}\n";
  CHECK(says(refusal(text, {}), "scenario.yaml:6:"));
  CHECK(says(refusal(text, {}), "output.window.warm_up: no request arrives after the warm-up"));
  CHECK(says(refusal(one, {{"output.window.cool_down", "10 min"}}), "--set output.window.cool_down"));
  CHECK(refusal(one, {{"output.window.warm_up", "1 s"}}).empty());
}

TEST_CASE("A table of step times without points is refused") {
  for (const char* times : {"{prefill: 1 ms, decode: {table: []}}", "{prefill: {table: []}, decode: 1 ms}"})
    CHECK(says(refusal(one, {{"deployment.c.step_times", times}}), "no time is stated"));
}

TEST_CASE("A decode pool with static batches takes nobody in before the whole batch has ended") {
  // Two at most; outputs of 11, 101 and 11 tokens of 10 ms. Taken in when the first has left, the third ends soon after it;
  // when the whole batch has, after a second at least.
  const test::TemporaryFolder folder;
  const std::string file = (folder.path() / "log.csv").string();
  std::ofstream(file) << "id,arrival_ps,input_tokens,output_tokens\n0,0,100,11\n1,0,100,101\n2,0,100,11\n";
  const auto end_of_last = [&](const char* policy) {
    const std::string times = "step_times: {prefill: 1 ms, decode: 10 ms}";
    const ScenarioRun result = run_scenario(fmt::format(
        "schema: rackwright/v1\n"
        "workload: {{trace: \"{}\"}}\n"
        "facility: {{racks: [{{name: a, rack: hgx-h200-air}}]}}\n"
        "deployment: [{{pool: p, role: prefill, model: llama-3.1-8b, on: \"a[0]\", {}}}, "
        "{{pool: d, role: decode, model: llama-3.1-8b, on: \"a[1]\", {}, scheduler: {{policy: {}, max_sequences: 2}}}}]\n",
        file, times, times, policy));
    for (const metrics::RequestOutcome& request : result.requests)
      if (request.id == 2) return request.last_token.seconds();
    return -1.0;
  };
  CHECK(end_of_last("vllm-v1") < 0.5);
  CHECK(end_of_last("static") > 1.1);
}
