#include <fmt/format.h>

#include <fstream>

#include "tests/support/catch.h"
#include "tests/support/scenario_run.h"
#include "tests/support/temporary_folder.h"

// Agents, speech, reasoning and completions, from the text of a scenario to its summary, with times that can be computed
// by hand: a step is 1 ms, whatever is in it.

using namespace rackwright;
using test::run_scenario;
using test::ScenarioRun;

namespace {

std::string scenario(const std::string& workload, const std::string& rest) {
  return fmt::format(
      "schema: rackwright/v1\n"
      "workload: {}\n"
      "facility:\n"
      "  racks:\n"
      "    - {{name: a, rack: hgx-h200-air}}\n"
      "    - {{name: cpu, rack: {{preset: cpu-64-epyc-9965, nodes: 1, node: {{base_power: 0 W, device: {{power: {{idle: 100 W}}}}}}}}}}\n"
      "deployment: [{{pool: c, model: llama-3.1-8b, on: \"a[0]\", step_times: {{prefill: 1 ms, decode: 1 ms}}, scheduler: {{max_sequences: 1000, token_budget: 100000}}}}]\n{}",
      workload, rest);
}

const std::string one_core = "stations: [{station: tools, on: \"cpu[0]\", workers: 1}]\n";

std::string write(const test::TemporaryFolder& folder, const std::string& name, const std::string& text) {
  const std::string file = (folder.path() / name).string();
  std::ofstream(file) << text;
  return file;
}

}  // namespace

TEST_CASE("Calls of tools wait as in M/D/1: rho s / (2 (1 - rho)) on one worker") {
  // Tasks of two calls at 1.2 /s with a tool of 0.5 s between: rho 0.6, a mean wait of 0.6 · 0.5 / 0.8 = 375 ms. The first call takes
  // 10 steps whatever the load, so that tools are called as tasks arrive: as a Poisson process.
  const ScenarioRun run = run_scenario(scenario(
      "{generator: {input_tokens: 20, output_tokens: 10, chain: {calls: 2, tool_tokens: 5, tools: {shell: 1}}}, rate: 1.2 /s, requests: 20000, tools: {shell: {station: tools, time: 500 ms}}}",
      one_core));
  CHECK(run.summary.requests.total == 40000);
  REQUIRE(run.summary.stations.size() == 1);
  CHECK(run.summary.stations[0].jobs == 20000);
  CHECK(run.summary.stations[0].utilization == Approx(0.6).epsilon(0.02));
  CHECK(run.summary.stations[0].wait_s->mean == Approx(0.375).epsilon(0.06));
  REQUIRE(run.summary.chains);
  CHECK(run.summary.chains->chains == 20000);
  CHECK(run.summary.chains->tool_s == Approx(0.5));
  CHECK(run.summary.chains->tool_wait_s == Approx(run.summary.stations[0].wait_s->mean));
  CHECK(run.summary.chains->binds() == "stations");
  // 500 W of limit over 192 cores, but one worker stands for the whole device here: 100 W idle and 400 above while it works.
  const double duration = run.summary.duration_s;
  CHECK(*run.summary.stations[0].energy_j == Approx(100 * duration + 400 * run.summary.stations[0].busy_s).epsilon(1e-6));
}

TEST_CASE("Tool spans of a log run on a station, and requests are released by completion, not by the log's clock") {
  // In the log the first call took 10 s, and a tool of 2 s followed after 1 s. Here the call takes 3 ms, so the second arrives at
  // 3 ms + 1 s + 2 s, long before its own time of 14 s (1 s passes after the tool).
  const test::TemporaryFolder folder;
  const auto span = [](const char* id, int start_ms, int end_ms, const std::string& attributes) {
    return fmt::format(R"({{"traceId":"T","spanId":"{}","startTimeUnixNano":"{}","endTimeUnixNano":"{}","attributes":[{}]}})", id,
                       1'700'000'000'000'000'000 + start_ms * 1'000'000LL, 1'700'000'000'000'000'000 + end_ms * 1'000'000LL, attributes);
  };
  const std::string tokens = R"({"key":"gen_ai.usage.input_tokens","value":{"intValue":"100"}},{"key":"gen_ai.usage.output_tokens","value":{"intValue":"3"}})";
  const std::string tool = R"({"key":"gen_ai.tool.name","value":{"stringValue":"shell"}})";
  const std::string log = write(folder, "spans.json", R"({"resourceSpans":[{"scopeSpans":[{"spans":[)" + span("a", 0, 10'000, tokens) + "," +
                                                          span("t", 11'000, 13'000, tool) + "," + span("b", 14'000, 20'000, tokens) + "]}]}]}");
  const std::string text = scenario(fmt::format("{{trace: \"{}\", tools: {{shell: {{station: tools, cores: 1}}}}}}", log), one_core);
  const ScenarioRun run = run_scenario(text);
  REQUIRE(run.requests.size() == 2);
  CHECK(run.requests[1].arrival.seconds() == Approx(0.003 + 2 + 2));
  CHECK(run.requests[1].tool_time == sim_time(2));
  CHECK(run.summary.chains->e2e_s.max == Approx(4.006));
  CHECK(run.summary.logged_e2e->logged.max == 10);
  // Twice the speed, half the time; without an entry only the time passes, and that is said.
  CHECK(run_scenario(text, serving::Jumping::on, {{"stations.tools.speed", "2"}}).requests[1].tool_time == sim_time(1));
  const ScenarioRun nowhere = run_scenario(scenario(fmt::format("{{trace: \"{}\"}}", log), ""));
  CHECK(nowhere.requests[1].arrival == run.requests[1].arrival);
  CHECK(nowhere.summary.stations.empty());
  REQUIRE_FALSE(nowhere.summary.warnings.empty());
}

TEST_CASE("First audio, from a scenario: network, recognition with the user's speech, the first sentence, synthesis") {
  // 2 · 20 ms of network; 100 ms and 0.05 · 4 s of recognition; 5 tokens; 80 ms of synthesis.
  const ScenarioRun run = run_scenario(
      scenario("{generator: {input_tokens: 20, output_tokens: 40}, rate: 0.01 /s, requests: 5, voice: {network_delay: 20 ms, "
               "speech_to_text: {station: ears, latency: 100 ms, real_time_factor: 0.05, speech: 4 s}, "
               "text_to_speech: {station: mouths, latency: 80 ms, real_time_factor: 0.2, sentence_tokens: 5}}}",
               "stations: [{station: ears, on: \"cpu[0]\"}, {station: mouths, on: \"cpu[1]\"}]\nslo: {first_audio_p95: 430 ms}\n"));
  REQUIRE(run.summary.voice);
  CHECK(run.summary.voice->first_audio_s.max == Approx(0.040 + 0.100 + 0.200 + 0.005 + 0.080));
  CHECK(run.summary.voice->recognition_s == Approx(0.3));
  CHECK(run.summary.voice->model_s == Approx(0.005));
  CHECK(run.summary.slo->attainment == 1);
  CHECK(run.summary.stations[0].workers == 192);
  CHECK(run.summary.stations[1].jobs == 5 * 8);
}

TEST_CASE("A generator's reasoning delays the first visible token, its classes have their lengths and objectives") {
  const ScenarioRun run = run_scenario(scenario(
      "{generator: {classes: {deep: {share: 1, input_tokens: 10, output_tokens: 5, reasoning_tokens: 100}, quick: {share: 3, input_tokens: 10, output_tokens: 5}}}, "
      "rate: 1 /s, requests: 400, classes: {deep: {slo: {first_visible_p99: 50 ms}}, quick: {slo: {first_visible_p99: 50 ms}}}}",
      ""));
  REQUIRE(run.summary.first_visible_s);
  CHECK(run.summary.first_visible_s->p50 == Approx(0.101));
  REQUIRE(run.summary.slo->objectives.size() == 2);
  CHECK_FALSE(run.summary.slo->objectives[0].met);
  CHECK(run.summary.slo->objectives[1].met);
  CHECK(run.summary.slo->attainment == Approx(0.75).margin(0.09));  // Four deviations of the share.
}

TEST_CASE("A log's own acceptance decides how many tokens a cycle gives, request by request") {
  // Without acceptance of its own the pool's mean of 0; with 1 every draft is taken: 5 tokens a step.
  const test::TemporaryFolder folder;
  const std::string log = write(folder, "log.csv", "at,in,out,alpha\n0,10,51,1\n100,10,51,\n");
  const ScenarioRun run = run_scenario(
      fmt::format("schema: rackwright/v1\nworkload: {{trace: {{file: {}, format: columns, columns: {{arrival: at, time_unit: s, input_tokens: in, output_tokens: out, acceptance: alpha}}}}}}\n"
                  "facility: {{racks: [{{name: a, rack: hgx-h200-air}}]}}\n"
                  "deployment: [{{pool: c, model: llama-3.1-8b, on: \"a[0]\", speculation: {{method: n-gram, tokens: 4, acceptance: 0}}}}]\n",
                  log));
  REQUIRE(run.requests.size() == 2);
  // 50 tokens after the first: 10 cycles against 50.
  const double accepted = (run.requests[0].last_token - run.requests[0].first_token).seconds();
  const double refused = (run.requests[1].last_token - run.requests[1].first_token).seconds();
  CHECK(refused / accepted == Approx(5).epsilon(0.01));
}

TEST_CASE("Completions of a request finish with the last or with the first, and all their tokens count") {
  const std::string workload = "{{generator: {{input_tokens: 64, output_tokens: {{quantiles: {{p0: 1, p100: 200}}}}}}, rate: 1 /s, requests: 50, samples: {{count: 4, finish: {}}}}}";
  const ScenarioRun all = run_scenario(scenario(fmt::format(fmt::runtime(workload), "all"), ""));
  const ScenarioRun first = run_scenario(scenario(fmt::format(fmt::runtime(workload), "first"), ""));
  CHECK(all.summary.requests.completed == 50);
  CHECK(first.summary.e2e_s->mean < 0.5 * all.summary.e2e_s->mean);
  // Of four uniform lengths the longest has a mean of 4/5, the shortest of 1/5 of 200.
  double longest = 0;
  std::int64_t tokens = 0;
  for (const metrics::RequestOutcome& request : all.requests) {
    longest += request.output_tokens / 50.0;
    tokens += request.output_tokens + request.other_tokens;
  }
  CHECK(longest == Approx(160).epsilon(0.1));
  CHECK(static_cast<double>(tokens) == Approx(50 * 4 * 100).epsilon(0.1));
}

TEST_CASE("What is asked for and cannot be is refused at its place, and what does nothing is said") {
  const auto problem = [](const std::string& workload, const std::string& rest) -> std::string {
    try {
      const ScenarioRun run = run_scenario(scenario(workload, rest));
      return run.summary.warnings.empty() ? "" : run.summary.warnings.front();
    } catch (const std::runtime_error& error) {
      return error.what();
    }
  };
  const std::string chain = "generator: {input_tokens: 20, output_tokens: 10, chain: {calls: 2, tool_tokens: 5, tools: {shell: 1}}}, rate: 1 /s, requests: 5";
  const auto mentions = [](const std::string& text, const std::string& part) {
    CAPTURE(text);
    return text.find(part) != std::string::npos;
  };
  CHECK(mentions(problem("{" + chain + "}", ""), "'workload.tools' has no 'shell'"));
  CHECK(mentions(problem("{" + chain + ", tools: {shell: {station: tool}}}", one_core), "no station is called 'tool' (did you mean 'tools'?)"));
  CHECK(mentions(problem("{" + chain + ", tools: {shell: {station: tools}}}", one_core), "a generated chain needs the time of its tools"));
  CHECK(mentions(problem("{" + chain + ", tools: {shell: {station: tools, time: 1 s, cores: 2}}}", one_core), "a device of 'tools' has 1 workers"));
  CHECK(mentions(problem("{" + chain + ", tools: {shell: {station: tools, time: 1 s, memory: 2 TB}}}", one_core), "has 768 GB for jobs"));
  CHECK(mentions(problem("{" + chain + ", tools: {shell: {station: tools, time: 1 s}}}", "stations: [{station: tools, on: \"a[0]\"}]\n"), "taken by pool 'c' already"));
  const std::string plain = "generator: {input_tokens: 20, output_tokens: 10}, rate: 1 /s, requests: 5";
  CHECK(mentions(problem("{" + plain + "}", one_core), "no effect: stations[0]"));
  CHECK(mentions(problem("{" + plain + ", tools: {shell: {station: tools, time: 1 s}}}", one_core), "no effect: workload.tools"));
}

TEST_CASE("Caches and tiers over a log without block hashes are warned of") {
  const test::TemporaryFolder folder;
  const std::string log = write(folder, "log.csv", "id,arrival_ps,input_tokens,output_tokens\n0,0,100,2\n1,5,100,2\n");
  const ScenarioRun run = run_scenario(scenario(fmt::format("{{trace: \"{}\"}}", log), ""), serving::Jumping::on,
                                       {{"deployment.c.kv_cache.tiers", "[{tier: host, capacity: 10 GB}]"}, {"deployment.c.kv_cache.prefix_caching", "true"}});
  std::string all;
  for (const std::string& warning : run.summary.warnings) all += warning + "\n";
  CAPTURE(all);
  CHECK(all.find("deployment[0].kv_cache.tiers, because the log has no block hashes") != std::string::npos);
  CHECK(all.find("deployment[0].kv_cache.prefix_caching, because the log has no block hashes") != std::string::npos);
}
