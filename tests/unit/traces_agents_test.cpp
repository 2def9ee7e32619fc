#include <algorithm>

#include "tests/support/temporary_folder.h"
#include "tests/unit/traces_support.h"
#include "traces/generators/generator.h"
#include "traces/records/tool_list.h"
#include "traces/transforms/transforms.h"
#include "traces/writers/canonical_writer.h"

using namespace rackwright;
using namespace rackwright::traces;

namespace {

constexpr SimTime ms(std::int64_t n) { return {n * 1'000'000'000}; }

struct Span {
  std::string id;
  int start_ms = 0;
  int end_ms = 0;
  std::string tool{};  ///< Empty: a model call.
};

/// An OTLP document of one trace; model calls of 100 input and 10 output tokens, four of them reasoning.
std::string otlp(const std::vector<Span>& spans) {
  std::string text = R"({"resourceSpans":[{"scopeSpans":[{"spans":[)";
  for (const Span& span : spans) {
    const auto time = [](int at) { return std::to_string(1'700'000'000'000'000'000 + at * std::int64_t{1'000'000}); };
    const auto attribute = [](const std::string& key, const std::string& value) { return R"({"key":")" + key + R"(","value":)" + value + "}"; };
    std::string attributes = span.tool.empty() ? attribute("gen_ai.usage.input_tokens", R"({"intValue":"100"})") + "," +
                                                     attribute("gen_ai.usage.output_tokens", R"({"intValue":"10"})") + "," +
                                                     attribute("gen_ai.usage.reasoning_tokens", R"({"intValue":"4"})")
                                               : attribute("gen_ai.operation.name", R"({"stringValue":"execute_tool"})") + "," +
                                                     attribute("gen_ai.tool.name", R"({"stringValue":")" + span.tool + R"("})");
    if (&span != &spans.front()) text += ",";
    text += R"({"traceId":"T","spanId":")" + span.id + R"(","startTimeUnixNano":")" + time(span.start_ms) + R"(","endTimeUnixNano":")" +
            time(span.end_ms) + R"(","attributes":[)" + attributes + "]}";
  }
  return text + "]}]}]}";
}

std::vector<Request> all_of(RequestSource& source) {
  std::vector<Request> requests;
  for (Request request; source.next(request);) requests.push_back(request);
  return requests;
}

}  // namespace

TEST_CASE("Tool spans between two model calls become steps of the later one: side by side where they overlap") {
  // The first call ends at 1000. Two searches overlap, a test follows them; 600 of 1100 ms pass in no tool.
  const Reading r = read_text(otlp({{"a", 0, 1000}, {"s1", 1100, 1300, "search"}, {"s2", 1200, 1400, "search"}, {"t", 1500, 1800, "run tests"},
                                    {"b", 2100, 2500}, {"last", 2600, 2700, "search"}}));
  CAPTURE(r.messages());
  REQUIRE(r.requests.size() == 2);
  CHECK(r.report().requests == 2);
  CHECK(r.report().tool_calls == 4);
  CHECK(r.report().tools == std::vector<std::string>{"search", "run tests"});
  CHECK(r.requests[0].tools.empty());
  CHECK(r.requests[0].reasoning_tokens == 4);
  const std::vector<ToolStep>& tools = r.requests[1].tools;
  REQUIRE(tools.size() == 3);
  CHECK(r.source->name(tools[0].tool) == "search");
  CHECK(tools[0].work == ms(200));
  CHECK(tools[0].round == 0);
  CHECK(tools[1].round == 0);
  CHECK(r.source->name(tools[2].tool) == "run tests");
  CHECK(tools[2].round == 1);
  CHECK(tools[2].work == ms(300));
  // The critical path is 200 + 300.
  CHECK(critical_path(tools) == ms(500));
  CHECK(r.requests[1].think_time == ms(1100 - 500));
}

TEST_CASE("Tools before the first call, beside a call, and of a log that is replayed by its clock are no steps") {
  const std::string text = otlp({{"t0", 0, 100, "search"}, {"a", 200, 1000}, {"beside", 500, 900, "search"}, {"b", 1500, 2000}});
  const Reading r = read_text(text);
  REQUIRE(r.requests.size() == 2);
  CHECK(r.requests[0].arrival == SimTime{});
  CHECK(r.requests[0].tools.empty());
  CHECK(r.requests[1].tools.empty());
  CHECK(r.requests[1].think_time == ms(500));
  TraceOptions options;
  options.dependents = Dependents::by_clock;
  CHECK(read_text(otlp({{"a", 0, 1000}, {"t", 1100, 1300, "x"}, {"b", 1500, 2000}}), options).requests[1].tools.empty());
}

TEST_CASE("A canonical trace keeps tools, reasoning, speech and acceptance, in CSV and in JSON lines") {
  const test::TemporaryFolder folder;
  const Reading first = read_text(otlp({{"a", 0, 1000}, {"s1", 1100, 1300, "a;b @%"}, {"t", 1500, 1800, "run"}, {"b", 2100, 2500}}));
  for (const std::string name : {"t.csv", "t.jsonl.gz"}) {
    const std::string path = (folder.path() / name).string();
    Diagnostics diagnostics;
    CanonicalWriter writer(path, *canonical_form(path, diagnostics));
    for (Request request : first.requests) {
      request.speech = ms(4200);
      request.acceptance = 0.625;
      writer.write(request, *first.source);
    }
    writer.finish();
    const Reading again = read_file(path);
    CAPTURE(name, again.messages());
    REQUIRE(again.requests.size() == 2);
    CHECK(again.requests[1].tools.size() == 2);
    CHECK(again.source->name(again.requests[1].tools[0].tool) == "a;b @%");
    CHECK(again.requests[1].tools[0].work == ms(200));
    CHECK(again.requests[1].tools[1].round == 1);
    CHECK(again.requests[1].think_time == first.requests[1].think_time);
    CHECK(again.requests[1].reasoning_tokens == 4);
    CHECK(again.requests[0].speech == ms(4200));
    CHECK(again.requests[0].acceptance == 0.625);
  }
}

TEST_CASE("Bad texts of tools, acceptance and reasoning drop their row or are repaired") {
  const std::string head = "arrival_ps,input_tokens,output_tokens,tools,acceptance,reasoning_tokens\n";
  CHECK(read_text(head + "0,5,5,a@1,,\n1,5,5,,,\n2,5,5,,,\n").rows(RowCause::malformed) == 1);
  CHECK(read_text(head + "0,5,5,a@5@1;b@5@0,,\n1,5,5,,,\n2,5,5,,,\n").rows(RowCause::malformed) == 1);
  CHECK(read_text(head + "0,5,5,,1.5,\n1,5,5,,,\n2,5,5,,,\n").rows(RowCause::malformed) == 1);
  const Reading hidden = read_text(head + "0,5,5,,,9\n");
  REQUIRE(hidden.requests.size() == 1);
  CHECK(hidden.requests[0].reasoning_tokens == 4);
}

TEST_CASE("Requests that follow others are given with the first of their line, and logged latencies move with them") {
  const Reading r = read_text(otlp({{"a", 0, 10'000}, {"b", 12'000, 20'000}, {"c", 21'000, 22'000}}));
  Diagnostics diagnostics;
  const std::string text = otlp({{"a", 0, 10'000}, {"b", 12'000, 20'000}, {"c", 21'000, 22'000}});
  Requests early = release_early(open_trace_bytes("log", text, {}, diagnostics), 100);
  const std::vector<Request> requests = all_of(*early);
  REQUIRE(requests.size() == 3);
  for (const Request& request : requests) CHECK(request.arrival == SimTime{});
  CHECK(requests[1].id == 1);
  CHECK(requests[1].parent == 0u);
  CHECK(requests[1].think_time == ms(2000));
  CHECK(*requests[1].logged.completion == ms(8000));
  CHECK(*r.requests[1].logged.completion - r.requests[1].arrival == ms(8000));

  // A window of one request reads nothing ahead: everything keeps its time.
  Requests late = release_early(open_trace_bytes("log", text, {}, diagnostics), 1);
  CHECK(all_of(*late)[2].arrival >= SimTime{});
}

TEST_CASE("A generated task grows its prompt by the visible answer and what tools say, keeps the hashes of full blocks, and draws tools by weight") {
  GeneratorSpec spec;
  spec.name = "agents";
  spec.arrivals.rate_per_s = 1;
  spec.count = 500;
  spec.input_tokens = QuantileTable::constant(100);
  spec.output_tokens = QuantileTable::constant(30);
  spec.reasoning_tokens = QuantileTable::constant(50);
  spec.chain.emplace();
  spec.chain->calls = QuantileTable::constant(4);
  spec.chain->tool_tokens = QuantileTable::constant(70);
  spec.chain->parallel_tools = QuantileTable::constant(2);
  spec.chain->tools = {{"shell", 3, QuantileTable::constant(2)}, {"search", 1, QuantileTable::constant(0.5)}};
  const auto source = make_generator(spec, 1);
  const std::vector<Request> requests = all_of(*source);
  REQUIRE(requests.size() == 2000);
  std::int64_t shells = 0;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const Request& request = requests[i];
    const auto call = static_cast<std::int32_t>(i % 4);
    CHECK(request.input_tokens == 100 + call * (30 + 70));
    CHECK(request.output_tokens == 80);
    CHECK(request.reasoning_tokens == 50);
    CHECK(request.block_hashes.size() == static_cast<std::size_t>((request.input_tokens + 15) / 16));
    if (call == 0) {
      CHECK_FALSE(request.parent);
      continue;
    }
    const Request& before = requests[i - 1];
    CHECK(request.parent == before.id);
    CHECK(request.session == before.session);
    CHECK(request.arrival == before.arrival);
    const auto full = static_cast<std::size_t>(before.input_tokens / 16);
    CHECK(std::equal(before.block_hashes.begin(), before.block_hashes.begin() + static_cast<std::ptrdiff_t>(full), request.block_hashes.begin()));
    CHECK(request.block_hashes[full] != before.block_hashes.back());
    REQUIRE(request.tools.size() == 2);
    for (const ToolStep& step : request.tools) {
      const bool is_shell = source->name(step.tool) == "shell";
      shells += is_shell ? 1 : 0;
      CHECK(step.work == ms(is_shell ? 2000 : 500));
    }
  }
  // 3000 draws with p = 3/4: a deviation of 24; four of them.
  CHECK(std::abs(shells - 2250) < 96);
}

TEST_CASE("A mix gives each class its share and its lengths, in order of arrival, and the same stream again") {
  GeneratorSpec spec;
  spec.name = "mix";
  spec.count = 4000;
  for (const auto& [name, rate, tokens] : {std::tuple{"short", 3.0, 10}, {"long", 1.0, 5000}}) {
    GeneratorSpec& part = spec.mix.emplace_back();
    part.name = std::string("mix/") + name;
    part.request_class = name;
    part.arrivals.rate_per_s = rate;
    part.input_tokens = QuantileTable::constant(tokens);
    part.output_tokens = QuantileTable::constant(7);
  }
  const auto source = make_generator(spec, 3);
  const std::vector<Request> requests = all_of(*source);
  REQUIRE(requests.size() == 4000);
  CHECK(std::ranges::is_sorted(requests, {}, &Request::arrival));
  std::int64_t longs = 0;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    CHECK(requests[i].id == i);
    const bool is_long = source->name(requests[i].request_class) == "long";
    CHECK(requests[i].input_tokens == (is_long ? 5000 : 10));
    longs += is_long ? 1 : 0;
  }
  CHECK(std::abs(longs - 1000) < 110);  // Binomial, four deviations of 27.4.
  const std::vector<Request> again = all_of(*make_generator(spec, 3));
  CHECK(std::ranges::equal(requests, again, {}, &Request::arrival, &Request::arrival));
}

TEST_CASE("Further completions of a log are as long as its own, those of a generator have lengths of their own") {
  Diagnostics diagnostics;
  const std::string text = otlp({{"a", 0, 1000}});
  const std::vector<Request> logged = all_of(*more_samples(open_trace_bytes("log", text, {}, diagnostics), 3));
  CHECK(logged[0].other_samples == std::vector<std::int32_t>{10, 10});
  GeneratorSpec spec;
  spec.name = "s";
  spec.count = 50;
  spec.samples = 4;
  spec.input_tokens = QuantileTable::constant(10);
  spec.output_tokens = QuantileTable({{0, 1}, {1, 1000}});
  for (const Request& request : all_of(*make_generator(spec, 1))) CHECK(request.other_samples.size() == 3);
}
