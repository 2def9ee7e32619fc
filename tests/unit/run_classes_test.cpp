#include <fmt/format.h>

#include <fstream>

#include "tests/support/catch.h"
#include "tests/support/scenario_run.h"
#include "tests/support/temporary_folder.h"

using namespace rackwright;
using test::run_scenario;
using test::ScenarioRun;

namespace {

/// One device with steps of 100 ms for a prompt and 1 ms for decodes, and what else is given.
std::string one_device(const std::string& workload, const std::string& pool, const std::string& rest) {
  return fmt::format(
      "schema: rackwright/v1\n"
      "workload: {}\n"
      "facility: {{racks: [{{name: a, rack: hgx-h200-air}}]}}\n"
      "deployment: [{{pool: c, model: llama-3.1-8b, on: \"a[0]\", step_times: {{prefill: {{per_token: 1 ms}}, decode: 1 ms}}{}}}]\n{}",
      workload, pool, rest);
}

/// Three requests of 100 prompt tokens at once, of the classes "x", "chat" and none.
std::string three_classes(const test::TemporaryFolder& folder) {
  const std::string file = (folder.path() / "log.csv").string();
  std::ofstream(file) << "id,arrival_ps,input_tokens,output_tokens,class\n0,0,100,2,x\n1,0,100,2,chat\n2,0,100,2,\n";
  return file;
}

}  // namespace

TEST_CASE("A class of the log that the scenario does not name is treated as the unnamed one, and named ones keep their own") {
  // The log names x first and chat second; the scenario knows chat alone, as its class 1.
  const test::TemporaryFolder folder;
  const ScenarioRun run = run_scenario(one_device(fmt::format("{{trace: \"{}\", classes: {{chat: {{slo: {{ttft_p99: 1 ms}}}}}}}}", three_classes(folder)), "",
                                                  "slo: {ttft_p99: 10 s}\n"));
  REQUIRE(run.requests.size() == 3);
  for (const metrics::RequestOutcome& request : run.requests) CHECK(request.request_class == (request.id == 1 ? 1u : 0u));
  REQUIRE(run.summary.slo);
  REQUIRE(run.summary.slo->objectives.size() == 2);
  CHECK(run.summary.slo->objectives[0].met);
  CHECK_FALSE(run.summary.slo->objectives[1].met);
  CHECK(run.summary.slo->attainment == Approx(2.0 / 3));
}

TEST_CASE("An objective of a class without requests is not missed") {
  const test::TemporaryFolder folder;
  const std::string file = (folder.path() / "log.csv").string();
  std::ofstream(file) << "id,arrival_ps,input_tokens,output_tokens,class\n0,0,100,2,chat\n";
  const ScenarioRun run = run_scenario(one_device(fmt::format("{{trace: \"{}\", classes: {{chat: {{priority: 1}}}}}}", file), "", "slo: {ttft_p99: 10 s}\n"));
  REQUIRE(run.summary.slo);
  REQUIRE(run.summary.slo->objectives.size() == 2);
  CHECK_FALSE(run.summary.slo->objectives[0].value_s);
  CHECK(run.summary.slo->objectives[0].met);
  CHECK(run.summary.slo->objectives[1].met);
}

TEST_CASE("The scenario's objectives turn away requests without a class, and a class that lost all its requests misses them") {
  // A prompt of 100 tokens takes 100 ms: the second at once would end after 200 ms.
  const std::string workload = "{generator: {arrivals: constant, input_tokens: 100, output_tokens: 2}, rate: 1000 /s, requests: 2}";
  const auto run = [&](const char* limit) {
    return run_scenario(one_device(workload, ", admission: {within_ttft: true}", fmt::format("slo: {{ttft_p99: {}}}\n", limit)));
  };
  CHECK(run("1 s").summary.requests.rejected == 0);
  CHECK(run("150 ms").summary.requests.rejected == 1);
  const ScenarioRun none = run("1 ms");
  CHECK(none.summary.requests.rejected == 2);
  REQUIRE(none.summary.slo);
  CHECK_FALSE(none.summary.slo->objectives.front().met);
}
