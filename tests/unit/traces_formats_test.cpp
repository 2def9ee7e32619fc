#include <algorithm>
#include <cmath>

#include "tests/support/shared_data.h"
#include "tests/unit/traces_support.h"
#include "traces/formats/trace_format.h"

using namespace rackwright;
using namespace rackwright::traces;

namespace {

bool mentions(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

constexpr SimTime ms(std::int64_t n) { return n * SimTime{1'000'000'000}; }

}  // namespace

TEST_CASE("Azure 2023: CRLF, no final newline, seven fraction digits, no zone") {
  const Reading r = read_text(
      "TIMESTAMP,ContextTokens,GeneratedTokens\r\n"
      "2023-11-16 18:15:46.6805900,374,44\r\n"
      "2023-11-16 18:15:50.9951690,396,109");
  REQUIRE(r.requests.size() == 2);
  CHECK(r.report().format == "azure");
  CHECK(r.report().first_arrival == "2023-11-16 18:15:46.68059 UTC");
  CHECK(r.report().crlf);
  CHECK_FALSE(r.report().final_newline);
  CHECK(r.requests[0].arrival == SimTime{});
  CHECK(r.requests[1].arrival == SimTime{4'314'579'000'000});
  CHECK(r.requests[1].input_tokens == 396);
  CHECK(r.requests[1].output_tokens == 109);
  CHECK(r.requests[1].id == 1);
}

TEST_CASE("Azure 2024: rows with and without a fraction, an explicit zone") {
  const Reading r = read_text(
      "TIMESTAMP,ContextTokens,GeneratedTokens\n"
      "2024-05-12 00:00:00+00:00,2162,5\n"
      "2024-05-12 00:00:00.009930+00:00,2399,1\n");
  REQUIRE(r.requests.size() == 2);
  CHECK(r.requests[1].arrival == SimTime{9'930'000'000});
}

TEST_CASE("Azure 2025: a column inserted at position 1 and milliseconds with Z") {
  const Reading r = read_text(
      "TIMESTAMP,NumImages,ContextTokens,GeneratedTokens\n"
      "2024-10-15T12:00:00.269Z,0,770,491\n"
      "2024-10-15T12:00:05.819Z,1,949,126\n");
  REQUIRE(r.requests.size() == 2);
  CHECK(r.requests[1].input_tokens == 949);
  CHECK(r.requests[1].arrival == ms(5550));
}

TEST_CASE("BurstGPT 1: names with spaces, a zero that is not the first arrival, failures without output") {
  const Reading r = read_text(
      "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n"
      "5,ChatGPT,472,18,490,Conversation log\n"
      "45,GPT-4,1087,0,1087,API log\n"
      "118,GPT-4,417,276,693,API log\n");
  REQUIRE(r.requests.size() == 2);
  CHECK(r.report().format == "burstgpt");
  CHECK(r.report().first_arrival == "5 s");
  CHECK(r.arrival_s(1) == 113);
  CHECK(r.model(0) == "ChatGPT");
  CHECK(r.model(1) == "GPT-4");
  CHECK(r.request_class(1) == "API log");
  CHECK(r.rows(RowCause::zero_output) == 1);
  CHECK(mentions(r.messages(), "log:3: warning: rows without output tokens: 1 dropped"));
}

TEST_CASE("BurstGPT 2: inserted columns, float times, empty session ids, elapsed time as completion") {
  const Reading r = read_text(
      "Timestamp,Session ID,Elapsed time,Model,Request tokens,Response tokens,Total tokens,Log Type\n"
      "19440110.0,1722ac82,43,GPT-4,906,446,1352,Conversation log\n"
      "19440161.0,,2,ChatGPT,36,29,65,API log\n"
      "19440192.0,1722ac82,8,GPT-4,1779,123,1902,Conversation log\n");
  REQUIRE(r.requests.size() == 3);
  CHECK(r.requests[0].session != 0);
  CHECK(r.requests[1].session == 0);
  CHECK(r.requests[2].session == r.requests[0].session);
  CHECK(r.requests[2].arrival == ms(82'000));
  CHECK(r.requests[2].logged.completion == ms(90'000));
  CHECK_FALSE(r.requests[2].logged.first_token);
}

TEST_CASE("Mooncake: integer milliseconds, ties in file order, 512-token blocks with a partial last one") {
  const Reading r = read_text(
      "{\"timestamp\": 0, \"input_length\": 1024, \"output_length\": 500, \"hash_ids\": [0, 1]}\n"
      "{\"timestamp\": 2999, \"input_length\": 1025, \"output_length\": 490, \"hash_ids\": [0, 1, 2]}\n"
      "{\"timestamp\": 2999, \"input_length\": 600, \"output_length\": 1, \"hash_ids\": [0, 3]}\n");
  REQUIRE(r.requests.size() == 3);
  CHECK(r.report().format == "mooncake");
  CHECK(r.requests[1].arrival == ms(2999));
  CHECK(r.requests[2].arrival == ms(2999));
  CHECK(r.requests[1].input_tokens == 1025);
  CHECK(r.requests[1].block_hashes == std::vector<std::uint64_t>{0, 1, 2});
  CHECK(r.requests[1].block_tokens == 512);
}

TEST_CASE("Hashes may be texts, 64-bit numbers, an object of numbers or an object of lists") {
  const auto hashes = [](std::string_view ids) {
    const Reading r = read_text(R"({"timestamp": 0, "input_length": 9, "output_length": 5, "hash_ids": )" + std::string(ids) + "}\n");
    REQUIRE(r.requests.size() == 1);
    return r.requests[0];
  };
  CHECK(hashes("[18446744073709551615, 3]").block_hashes == std::vector<std::uint64_t>{18'446'744'073'709'551'615u, 3});
  CHECK(hashes(R"({"0": 17, "1": 18})").block_hashes == std::vector<std::uint64_t>{17, 18});
  CHECK(hashes(R"({"16": [4, 5]})").block_hashes == std::vector<std::uint64_t>{4, 5});
  CHECK(hashes(R"({"16": [4, 5]})").block_tokens == 16);
  CHECK(hashes(R"([{"id": 4}, {"id": 5}])").block_hashes == std::vector<std::uint64_t>{4, 5});
  CHECK(hashes(R"("[4, 5]")").block_hashes == std::vector<std::uint64_t>{4, 5});
  CHECK(hashes(R"(["a", "b"])").block_hashes.size() == 2);
  CHECK(hashes("[]").block_hashes.empty());
  CHECK(hashes("null").block_hashes.empty());
}

TEST_CASE("Qwen-Bailian: float seconds, 16-token blocks, turns tied to their parent and their conversation") {
  const Reading r = read_text(
      R"({"chat_id":55,"parent_chat_id":-1,"timestamp":0.5,"input_length":20,"output_length":9,"type":"text","turn":1,"hash_ids":[1,2]})" "\n"
      R"({"chat_id":60,"parent_chat_id":-1,"timestamp":2.0,"input_length":7,"output_length":9,"type":"search","turn":1,"hash_ids":[7]})" "\n"
      R"({"chat_id":159,"parent_chat_id":55,"timestamp":61.114,"input_length":33,"output_length":132,"type":"text","turn":2,"hash_ids":[1,3,4]})" "\n"
      R"({"chat_id":170,"parent_chat_id":159,"timestamp":80,"input_length":33,"output_length":132,"type":"text","turn":3,"hash_ids":[1,3,5]})" "\n"
      R"({"chat_id":171,"parent_chat_id":9999,"timestamp":81,"input_length":33,"output_length":132,"type":"text","turn":3,"hash_ids":[1,3,5]})" "\n");
  REQUIRE(r.requests.size() == 5);
  CHECK(r.report().format == "qwen-bailian");
  CHECK(r.requests[2].arrival == ms(60'614));
  CHECK(r.requests[2].block_tokens == 16);
  CHECK(r.requests[2].parent == 0u);
  CHECK(r.requests[3].parent == 2u);
  CHECK_FALSE(r.requests[1].parent);
  CHECK(r.requests[3].session == r.requests[0].session);
  CHECK(r.requests[1].session != r.requests[0].session);
  CHECK(r.request_class(1) == "search");
  CHECK_FALSE(r.requests[4].parent);
  CHECK(r.rows(RowCause::unknown_parent) == 1);
}

TEST_CASE("A fraction in a millisecond trace without chat ids could be either format, and the error says so") {
  const Reading r = read_text(R"({"timestamp": 0.5, "input_length": 9, "output_length": 5, "hash_ids": [1]})" "\n");
  CHECK_FALSE(r.opened());
  CHECK(mentions(r.messages(), "the file could be any of mooncake, qwen-bailian (state the format)"));
  TraceOptions options;
  options.format = "mooncake";
  CHECK(read_text(R"({"timestamp": 0.5, "input_length": 9, "output_length": 5, "hash_ids": [1]})" "\n", options).opened());
}

TEST_CASE("Vidur: seconds as noisy floats") {
  const Reading r = read_text(
      "arrived_at,num_prefill_tokens,num_decode_tokens\n"
      "0.0,374,44\n"
      "4.314578999999999,396,109\n");
  REQUIRE(r.requests.size() == 2);
  CHECK(r.report().format == "vidur");
  CHECK(r.requests[1].arrival == SimTime{4'314'579'000'000});  // the nearest picosecond
}

TEST_CASE("LiteLLM spend logs are the same as JSON array, wrapped list, JSON lines and CSV") {
  const std::string a = R"({"request_id":"a","call_type":"acompletion","startTime":"2025-01-01T00:00:00.000Z","endTime":"2025-01-01T00:00:02.000Z","completionStartTime":"2025-01-01T00:00:00.500Z","model":"azure/gpt-4o","model_group":"gpt-4o","prompt_tokens":100,"completion_tokens":20,"total_tokens":120,"cache_hit":"False","status":"success","metadata":"{\"status\": null}"})";
  const std::string b = R"({"request_id":"b","call_type":"acompletion","startTime":"2025-01-01T00:00:01.000Z","endTime":"2025-01-01T00:00:03.000Z","completionStartTime":null,"model":"llama","model_group":"","prompt_tokens":7,"completion_tokens":3,"total_tokens":10,"cache_hit":"","status":"success","metadata":{}})";
  const std::string cached = R"({"request_id":"c","call_type":"acompletion","startTime":"2025-01-01T00:00:02.000Z","endTime":"2025-01-01T00:00:02.001Z","model":"llama","prompt_tokens":7,"completion_tokens":3,"cache_hit":"True","status":"success"})";
  const std::string failed = R"({"request_id":"d","call_type":"acompletion","startTime":"2025-01-01T00:00:02.500Z","endTime":"2025-01-01T00:00:02.600Z","model":"llama","prompt_tokens":0,"completion_tokens":0,"cache_hit":"False","status":"failure"})";
  const std::vector<std::string> forms{
      "[" + a + ",\n" + b + "," + cached + "," + failed + "]",
      "{\"data\": [" + a + "," + b + "," + cached + "," + failed + "], \"total\": 4}",
      a + "\n" + b + "\n" + cached + "\n" + failed + "\n",
      "request_id,call_type,startTime,endTime,completionStartTime,model,model_group,prompt_tokens,completion_tokens,cache_hit,status,metadata\n"
      "a,acompletion,2025-01-01 00:00:00,2025-01-01 00:00:02,2025-01-01 00:00:00.5,azure/gpt-4o,gpt-4o,100,20,False,success,\"{\"\"status\"\": null}\"\n"
      "b,acompletion,2025-01-01 00:00:01,2025-01-01 00:00:03,,llama,,7,3,,success,{}\n"
      "c,acompletion,2025-01-01 00:00:02,2025-01-01 00:00:02.001,,llama,,7,3,True,success,\n"
      "d,acompletion,2025-01-01 00:00:02.5,2025-01-01 00:00:02.6,,llama,,0,0,False,failure,\n"};
  for (const std::string& form : forms) {
    const Reading r = read_text(form);
    CAPTURE(form.substr(0, 20), r.messages());
    REQUIRE(r.requests.size() == 2);
    CHECK(r.report().format == "litellm");
    CHECK(r.model(0) == "gpt-4o");
    CHECK(r.model(1) == "llama");
    CHECK(r.requests[0].logged.first_token == ms(500));
    CHECK(r.requests[0].logged.completion == ms(2000));
    CHECK_FALSE(r.requests[1].logged.first_token);
    CHECK(r.requests[1].logged.completion == ms(3000));
    CHECK(r.requests[1].session == 0);
    CHECK(r.rows(RowCause::cached_response) == 1);
    CHECK(r.rows(RowCause::failed) == 1);
  }
}

TEST_CASE("Gateway access logs: usage of both namings, nested answers, latencies in milliseconds, HTTP failures") {
  const Reading r = read_text(
      R"({"timestamp":"2025-03-01T10:00:00Z","model":"m1","usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15},"status":200,"latency_ms":1500,"ttft_ms":200,"session_id":"s"})" "\n"
      R"({"timestamp":1740823201,"response":{"model":"m2","usage":{"input_tokens":4,"output_tokens":6}},"status_code":"200"})" "\n"
      R"({"timestamp":1740823202000,"model":"m1","usage":{"prompt_tokens":10,"completion_tokens":0},"status":429})" "\n"
      R"({"timestamp":1740823203,"model":"m1","usage":{"prompt_tokens":10,"completion_tokens":2},"error":{"message":"overloaded"}})" "\n"
      R"({"timestamp":1740823204,"model":"m1","usage":{"input_tokens":10,"cache_read_input_tokens":90,"cache_creation_input_tokens":5,"output_tokens":2},"error":null})" "\n");
  REQUIRE(r.requests.size() == 3);
  CHECK(r.report().format == "gateway");
  CHECK(r.requests[0].logged.first_token == ms(200));
  CHECK(r.requests[0].logged.completion == ms(1500));
  CHECK(r.requests[1].arrival == ms(1000));
  CHECK(r.model(1) == "m2");
  CHECK(r.rows(RowCause::failed) == 2);
  CHECK(r.requests[2].input_tokens == 105);
}

TEST_CASE("A vLLM recorder's row has two clocks: logged times count from queued_ts") {
  const Reading r = read_text(
      R"({"request_id": "b-0", "input_toks": 2358, "output_toks": 531, "arrival_time": 1777142838.338653, "queued_ts": 479748.340, "scheduled_ts": 479748.341, "first_token_ts": 479748.510, "last_token_ts": 479764.054})" "\n"
      R"({"request_id": "b-1", "input_toks": 1034, "output_toks": 769, "arrival_time": 1777142838.6237123, "queued_ts": 479748.625, "scheduled_ts": 479748.626, "first_token_ts": 479748.688, "last_token_ts": 479772.123})" "\n");
  REQUIRE(r.requests.size() == 2);
  CHECK(r.report().format == "vllm-requests");
  CHECK(r.requests[1].arrival == SimTime{285'059'300'000});
  CHECK(*r.requests[1].logged.first_token - r.requests[1].arrival == ms(63));
  CHECK(*r.requests[1].logged.completion - r.requests[1].arrival == ms(23'498));
  CHECK(r.requests[1].session == 0);
}

TEST_CASE("OTLP spans: both attribute generations, numbers as texts, nested resources, other spans left out") {
  const auto span = [](std::string id, std::string parent, std::string start, std::string end, std::string attributes) {
    return R"({"traceId":"T","spanId":")" + id + R"(","parentSpanId":")" + parent + R"(","startTimeUnixNano":)" + start +
           R"(,"endTimeUnixNano":")" + end + R"(","attributes":[)" + attributes + "]}";
  };
  const auto tokens = [](std::string in, std::string out, std::string in_value, std::string out_value) {
    return R"({"key":"gen_ai.request.model","value":{"stringValue":"m"}},{"key":"gen_ai.usage.)" + in + R"(","value":{"intValue":)" + in_value +
           R"(}},{"key":"gen_ai.usage.)" + out + R"(","value":{"intValue":)" + out_value + "}}";
  };
  const std::string json =
      R"({"resourceSpans":[{"resource":{"attributes":[]},"scopeSpans":[{"spans":[)" +
      span("A0", "", "\"1700000000000000000\"", "1700000009000000000", R"({"key":"agent","value":{"stringValue":"x"}})") + "," +
      span("A1", "A0", "\"1700000001000000000\"", "1700000002000000000", tokens("input_tokens", "output_tokens", "\"150\"", "\"20\"")) + "]}]},{\"scopeSpans\":[{\"spans\":[" +
      span("A2", "A0", "1700000003500000001", "1700000005000000000", tokens("prompt_tokens", "completion_tokens", "300", "30")) + "]}]}]}";
  const Reading r = read_text(json);
  CAPTURE(r.messages());
  REQUIRE(r.requests.size() == 2);
  CHECK(r.report().format == "otlp");
  CHECK(r.requests[0].input_tokens == 150);
  CHECK(r.requests[1].arrival == SimTime{2'500'000'001'000});
  CHECK(r.model(1) == "m");
  CHECK(r.rows(RowCause::other_event) == 1);
  CHECK(r.requests[0].session == r.requests[1].session);
  // A1 was complete 1.5 s before A2 started, and both are steps of the agent span A0.
  CHECK(r.requests[1].parent == 0u);
  CHECK(r.requests[1].think_time == SimTime{1'500'000'001'000});
  TraceOptions options;
  options.dependents = Dependents::by_clock;
  CHECK_FALSE(read_text(json, options).requests[1].parent);
}

TEST_CASE("inference-perf spans: turns wait for the turn before, and for the pause that was logged") {
  const Reading r = read_file(test::shared_data("traces/inference-perf/prefix_sharing_example.json").string());
  REQUIRE(r.requests.size() == 7);
  CHECK(r.report().format == "inference-perf");
  // Two single requests at 0 and 2 s; four turns at 4, 6, 8 and 10 s of 1, 1.5, 1.8 and 1.5 s; one more request at 12 s.
  CHECK(r.requests[2].arrival == ms(4'000));
  CHECK(r.requests[3].parent == 2u);
  CHECK(r.requests[3].think_time == ms(1'000));
  CHECK(r.requests[4].parent == 3u);
  CHECK(r.requests[4].think_time == ms(500));
  CHECK(r.requests[5].think_time == ms(200));
  CHECK(r.requests[5].input_tokens == 380);
  CHECK(r.requests[5].output_tokens == 55);
  CHECK(r.requests[4].session == r.requests[2].session);
  CHECK_FALSE(r.requests[6].parent);
  const Reading without = read_file(test::shared_data("traces/inference-perf/simple_chain.json").string());
  CHECK(mentions(without.messages(), "the file has no 'attributes.gen_ai.usage.input_tokens', 'attributes.gen_ai.usage.prompt_tokens'"));
}

TEST_CASE("A measured vLLM run gives the published times to first token") {
  const Reading r = read_file(test::shared_data("measured/vllm-0.19-rtxpro6000-llama-3.1-8b/requests.jsonl").string());
  REQUIRE(r.requests.size() == 300);
  std::vector<double> ttft_ms;
  for (const Request& request : r.requests) ttft_ms.push_back(1e3 * (*request.logged.first_token - request.arrival).seconds());
  std::ranges::sort(ttft_ms);
  // Nearest rank: p50 is the 150th of 300, p99 the 297th.
  CHECK(std::round(ttft_ms[149]) == 9'388);
  CHECK(std::round(ttft_ms[296]) == 19'754);
}

TEST_CASE("Any CSV is read through a column mapping, with a unit of time and with or without a header") {
  TraceOptions options;
  options.mapping.emplace();
  ColumnMapping& m = *options.mapping;
  m[Field::arrival] = {{"when", TimeUnit::microseconds}};
  m[Field::input_tokens] = {"in"};
  m[Field::output_tokens] = {"out"};
  m[Field::model] = {"pool"};
  const Reading r = read_text("pool;out;when;in\nx;2;1000000;3.0\ny;4;3000000;5\n", options);
  REQUIRE(r.requests.size() == 2);
  CHECK(r.report().format == "mapping");
  CHECK(r.arrival_s(1) == 2);
  CHECK(r.requests[0].input_tokens == 3);
  CHECK(r.model(1) == "y");
  m.header = {"in", "out", "when", "pool"};
  const Reading bare = read_text("3,2,1000000,x\n5,4,3000000,y\n", options);
  REQUIRE(bare.requests.size() == 2);
  CHECK(bare.requests[0].input_tokens == 3);
  CHECK(bare.model(1) == "y");
}

TEST_CASE("Any JSON lines are read through a column mapping with paths") {
  TraceOptions options;
  options.mapping.emplace();
  ColumnMapping& m = *options.mapping;
  m[Field::arrival] = {{"t.start", TimeUnit::milliseconds}};
  m[Field::input_tokens] = {"n.in"};
  m[Field::output_tokens] = {"n.out"};
  m[Field::completion] = {{"t.took", TimeUnit::seconds, TimeMeaning::since_arrival}};
  const Reading r = read_text("{\"t\":{\"start\":5,\"took\":2},\"n\":{\"in\":1,\"out\":2}}\n{\"t\":{\"start\":25,\"took\":1},\"n\":{\"in\":3,\"out\":4}}\n", options);
  REQUIRE(r.requests.size() == 2);
  CHECK(r.requests[1].arrival == ms(20));
  CHECK(r.requests[1].logged.completion == ms(1020));
}

TEST_CASE("A missing column is an error that names the columns found and the nearest") {
  TraceOptions options;
  options.format = "azure";
  const Reading r = read_text("TIMESTAMP,ContextToken,GeneratedTokens\n2023-11-16 18:15:46,1,2\n", options);
  CHECK_FALSE(r.opened());
  CHECK(mentions(r.messages(), "log: error: columns.input_tokens: the file has no 'ContextTokens' (did you mean 'ContextToken'?)"));
  TraceOptions mapped;
  ColumnMapping& m = mapped.mapping.emplace();
  m[Field::arrival] = {{"t", TimeUnit::seconds}};
  m[Field::input_tokens] = {"in"};
  m[Field::output_tokens] = {"out"};
  m[Field::model] = {"modle"};
  const Reading typo = read_text("t,in,out,model\n1,2,3,x\n", mapped);
  CHECK(typo.opened());
  CHECK(mentions(typo.messages(), "log: warning: columns.model: the file has no 'modle' (did you mean 'model'?)"));
  const Reading unknown = read_text("a,b,c\n1,2,3\n");
  CHECK_FALSE(unknown.opened());
  CHECK(mentions(unknown.messages(), "no known trace format has these fields (CSV): a, b, c"));
  const Reading headerless = read_text("2023-11-16 18:15:46,1,2\n");
  CHECK(mentions(headerless.messages(), "log:1: error: the first line holds no column names"));
}

TEST_CASE("What is no text, or no file, is an error that says what it is") {
  CHECK(mentions(read_text("").messages(), "the file is empty"));
  CHECK(mentions(read_text("\n\n").messages(), "the file is empty"));
  CHECK(mentions(read_text("PAR1....").messages(), "this is a Parquet file (convert it to CSV or JSON lines first)"));
  CHECK(mentions(read_text("\xff\xfet\0i\0").messages(), "the text is UTF-16"));
  CHECK(mentions(read_text(std::string_view("ab\0cd", 5)).messages(), "this is a binary file"));
  CHECK(mentions(read_file("/nonexistent/x.csv").messages(), "/nonexistent/x.csv: error: there is no such trace file"));
  CHECK(mentions(read_file("/tmp").messages(), "a trace must be a regular file"));
  TraceOptions options;
  options.format = "azur";
  CHECK(mentions(read_text("a\n1\n", options).messages(), "no trace format is called 'azur' (did you mean 'azure'?)"));
}

TEST_CASE("Every known format has its own name and can be found by it") {
  for (const TraceFormat* format : trace_formats()) {
    CHECK(find_trace_format(format->name) == format);
    CHECK_FALSE(format->title.empty());
  }
}
