#include <zlib.h>
#include <zstd.h>

#include <fstream>
#include <random>

#include "tests/support/shared_data.h"
#include "tests/unit/traces_support.h"

using namespace rackwright;
using namespace rackwright::traces;

namespace {

const std::string header = "TIMESTAMP,ContextTokens,GeneratedTokens\n";

std::string row(int second, int in, int out) {
  char text[64];
  std::snprintf(text, sizeof text, "2024-01-01 00:%02d:%02d,%d,%d\n", second / 60, second % 60, in, out);
  return text;
}

bool mentions(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

std::string gzip(const std::string& text) {
  std::string out(compressBound(text.size()) + 64, '\0');
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string zstd(const std::string& text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

}  // namespace

TEST_CASE("Rows without tokens are dropped and counted by cause, or repaired where that is wanted") {
  const std::string text = header + row(0, 5, 5) + row(1, 0, 5) + row(2, 5, 0) + row(3, 0, 0);
  const Reading r = read_text(text);
  CHECK(r.requests.size() == 1);
  CHECK(r.rows(RowCause::zero_input) == 1);
  CHECK(r.rows(RowCause::zero_output) == 2);
  CHECK(r.report().rows == 4);
  CHECK(r.report().requests + r.report().counts.dropped() == r.report().rows);
  TraceOptions options;
  options.zero_input = options.zero_output = ZeroTokens::one;
  const Reading repaired = read_text(text, options);
  REQUIRE(repaired.requests.size() == 4);
  CHECK(repaired.requests[3].input_tokens == 1);
  CHECK(repaired.requests[3].output_tokens == 1);
}

TEST_CASE("Rows out of order are put in order, ties by line, and counted with the greatest lateness") {
  const Reading r = read_text(header + row(10, 1, 1) + row(12, 2, 1) + row(3, 3, 1) + row(12, 4, 1) + row(11, 5, 1));
  REQUIRE(r.requests.size() == 5);
  std::vector<int> inputs;
  for (const Request& request : r.requests) inputs.push_back(request.input_tokens);
  CHECK(inputs == std::vector<int>{3, 1, 5, 2, 4});
  CHECK(r.arrival_s(0) == 0);
  CHECK(r.arrival_s(4) == 9);
  CHECK(r.rows(RowCause::out_of_order) == 2);
  CHECK(r.report().lateness == SimTime{9 * picoseconds_per_second});
}

TEST_CASE("A file of any order and length streams as if it had been sorted in memory") {
  // 3,000 rows, once nearly in order (a heap suffices), once newest first (through temporary files).
  std::mt19937 draws(7);
  std::vector<std::pair<int, int>> rows;
  for (int i = 0; i < 3'000; ++i) rows.emplace_back(i, i + 1);
  const bool descending = GENERATE(false, true);
  if (descending) std::reverse(rows.begin(), rows.end());
  else for (std::size_t i = 0; i + 20 < rows.size(); i += 20) std::shuffle(rows.begin() + i, rows.begin() + i + 20, draws);
  std::string text = "arrived_at,num_prefill_tokens,num_decode_tokens\n";
  for (const auto& [second, in] : rows) text += std::to_string(second / 2) + "," + std::to_string(in) + ",1\n";
  TraceOptions small;
  small.rows_in_memory = 100;
  const Reading streamed = read_text(text, small);
  const Reading held = read_text(text);
  REQUIRE(streamed.requests.size() == 3'000);
  REQUIRE(held.requests.size() == 3'000);
  for (std::size_t i = 0; i < held.requests.size(); ++i) {
    REQUIRE(streamed.requests[i].arrival == held.requests[i].arrival);
    REQUIRE(streamed.requests[i].input_tokens == held.requests[i].input_tokens);
    REQUIRE(streamed.requests[i].id == i);
  }
  CHECK(streamed.rows(RowCause::out_of_order) == held.rows(RowCause::out_of_order));
  CHECK(streamed.rows(RowCause::out_of_order) > 0);
}

TEST_CASE("A wrapped clock goes on, is counted, and does not look like disorder") {
  const Reading r = read_text("arrived_at,num_prefill_tokens,num_decode_tokens\n86390,1,1\n86395,2,1\n4,3,1\n9,4,1\n");
  REQUIRE(r.requests.size() == 4);
  CHECK(r.arrival_s(2) == 14);
  CHECK(r.arrival_s(3) == 19);
  CHECK(r.rows(RowCause::wrapped_clock) == 1);
  CHECK(r.rows(RowCause::out_of_order) == 0);
  TraceOptions options;
  options.clock_period = SimTime{100 * picoseconds_per_second};
  const Reading stated = read_text("arrived_at,num_prefill_tokens,num_decode_tokens\n60,1,1\n95,2,1\n10,3,1\n", options);
  CHECK(stated.arrival_s(2) == 50);
}

TEST_CASE("Equal rows are reported and kept, or dropped where that is wanted") {
  const std::string text = header + row(0, 5, 5) + row(0, 5, 6) + row(0, 5, 5) + row(1, 5, 5);
  const Reading kept = read_text(text);
  CHECK(kept.requests.size() == 4);
  CHECK(kept.rows(RowCause::duplicate) == 1);
  CHECK(mentions(kept.messages(), "log:4: warning: rows equal to an earlier one: 1 kept"));
  TraceOptions options;
  options.duplicates = Duplicates::drop;
  CHECK(read_text(text, options).requests.size() == 3);
}

TEST_CASE("A malformed row is dropped with its line and its fault; the others stay") {
  const Reading r = read_text(header + row(0, 1, 1) + "2024-01-01 00:00:01,1\n" + row(2, 1, 1) + "2024-01-01 00:00:03,x,1\n" +
                              row(4, 1, 1) + "yesterday,1,1\n" + "\n" + row(5, 1, 1) + "2024-01-01 00:00:06,-4,1\n" + row(7, 1, 1) +
                              row(8, 1, 1) + "2024-01-01 00:00:09,1,99999999999\n");
  CHECK(r.requests.size() == 6);
  CHECK(r.rows(RowCause::malformed) == 5);
  CHECK(r.report().rows == 11);
  const std::vector<RowExample>& examples = r.report().counts.all().front().examples;
  REQUIRE(examples.size() == 5);
  CHECK(examples[0].line == 3);
  CHECK(examples[0].what == "3 columns are expected, 2 are here: '2024-01-01 00:00:01,1'");
  CHECK(examples[1].what == "input_tokens is 'x'");
  CHECK(examples[2].what == "'yesterday' is not a time");
  CHECK(examples[3].line == 10);
  CHECK(examples[3].what == "input_tokens is '-4'");
  CHECK(examples[4].what == "output_tokens is '99999999999'");
}

TEST_CASE("A JSON line that is none spoils only itself") {
  const Reading r = read_text(
      "{\"timestamp\": 0, \"input_length\": 1, \"output_length\": 1}\n"
      "{\"timestamp\": 1, \"input_length\": 1, \n"
      "[1, 2]\n"
      "{\"timestamp\": 2, \"input_length\": null, \"output_length\": 1}\n"
      "{\"timestamp\": 3, \"input_length\": 1, \"output_length\": 1}\n"
      "{\"timestamp\": 4, \"input_length\": 1, \"output_length\": 1}\n"
      "{\"timestamp\": 5, \"input_length\": 1, \"output_length\": 1}\n\n\n");
  CHECK(r.requests.size() == 4);
  CHECK(r.rows(RowCause::malformed) == 3);
}

TEST_CASE("A log that is mostly unreadable, or has no usable row, is refused") {
  const Reading r = read_text(header + "x,1,1\ny,1,1\n" + row(0, 1, 1));
  CHECK_FALSE(r.opened());
  CHECK(mentions(r.messages(), "log: error: 2 of 3 rows cannot be read (it was read as azure (CSV))"));
  CHECK(mentions(read_text(header + row(0, 1, 0)).messages(), "log: error: none of the 1 rows is a usable request"));
  CHECK(mentions(read_text(header).messages(), "none of the 0 rows is a usable request"));
}

TEST_CASE("Bytes that are not UTF-8 are repaired in CSV and JSON, and counted") {
  const Reading csv = read_text("Timestamp,Model,Request tokens,Response tokens\n1,caf\xe9,5,5\n2,caf\xc3\xa9,5,5\n");
  REQUIRE(csv.requests.size() == 2);
  CHECK(csv.rows(RowCause::bad_utf8) == 1);
  CHECK(csv.model(0) == "caf\xef\xbf\xbd");
  CHECK(csv.model(1) == "caf\xc3\xa9");
  const Reading json = read_text("{\"timestamp\":1700000000,\"model\":\"caf\xe9\",\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":1}}\n");
  REQUIRE(json.requests.size() == 1);
  CHECK(json.rows(RowCause::bad_utf8) == 1);
  CHECK(json.model(0) == "caf\xef\xbf\xbd");
}

TEST_CASE("A byte order mark and blank trailing lines are no rows") {
  const Reading r = read_text("\xef\xbb\xbf" + header + row(0, 1, 1) + "\n\n   \n");
  CHECK(r.requests.size() == 1);
  CHECK(r.report().rows == 1);
  CHECK(r.report().byte_order_mark);
}

TEST_CASE("gzip and zstd are undone whatever the file is called, also in several members or frames") {
  const std::string head = header + row(0, 1, 1);
  const std::string tail = row(1, 2, 2);
  for (const std::string& packed : {gzip(head) + gzip(tail), zstd(head) + zstd(tail), gzip(head + tail) + std::string(512, '\0')}) {
    const Reading r = read_text(packed);
    CAPTURE(r.messages());
    REQUIRE(r.requests.size() == 2);
    CHECK(r.requests[1].input_tokens == 2);
    CHECK(r.report().bytes == head.size() + tail.size());
  }
  CHECK(read_text(gzip(head)).report().compression == "gzip");
  CHECK(read_text(zstd(head)).report().compression == "zstd");
}

TEST_CASE("A compressed file that breaks off or is damaged is an error with the place") {
  std::string text = header;
  for (int i = 0; i < 3'000; ++i) text += row(i % 3600, i * 7919 % 4001 + 1, i * 104'729 % 997 + 1);
  for (const std::string& packed : {gzip(text), zstd(text)}) {
    const Reading cut = read_text(packed.substr(0, packed.size() / 2));
    CHECK_FALSE(cut.opened());
    CHECK(mentions(cut.messages(), "breaks off after"));
    std::string damaged = packed;
    for (std::size_t i = damaged.size() / 2; i < damaged.size() / 2 + 16; ++i) damaged[i] = static_cast<char>(~damaged[i]);
    CHECK_FALSE(read_text(damaged).opened());
  }
}

TEST_CASE("Rows past the end of simulated time are dropped and counted") {
  const Reading r = read_text("arrived_at,num_prefill_tokens,num_decode_tokens\n0,1,1\n9000000,2,1\n9300000,3,1\n");
  CHECK(r.requests.size() == 2);
  CHECK(r.rows(RowCause::beyond_horizon) == 1);
  // The first arrival may come last in the file.
  const Reading late = read_text("arrived_at,num_prefill_tokens,num_decode_tokens\n9300000,3,1\n9000000,2,1\n0,1,1\n");
  REQUIRE(late.requests.size() == 2);
  CHECK(late.requests[0].input_tokens == 1);
  CHECK(late.rows(RowCause::beyond_horizon) == 1);
  const Reading broken = read_text(header + "1970-01-01 00:00:00,1,1\n" + row(0, 1, 1) + row(1, 1, 1));
  CHECK(mentions(broken.messages(), "2 of 3 rows are more than 106 days after the first arrival, 0 s (is the first time a real one?)"));
}

TEST_CASE("A logged time that cannot be is left out and counted, not the request") {
  const std::string text =
      R"({"timestamp":1700000010,"end_time":1700000005,"usage":{"prompt_tokens":1,"completion_tokens":1}})" "\n"
      R"({"timestamp":1700000020,"end_time":1700000021,"ttft_ms":2000,"usage":{"prompt_tokens":1,"completion_tokens":1}})" "\n";
  const Reading r = read_text(text);
  REQUIRE(r.requests.size() == 2);
  CHECK_FALSE(r.requests[0].logged.completion);
  CHECK_FALSE(r.requests[1].logged.first_token);
  CHECK(r.rows(RowCause::strange_log_time) == 2);
}

TEST_CASE("A report reads as text and as JSON") {
  const Reading r = read_text(header + row(0, 1, 1) + row(1, 1, 0));
  CHECK(to_text(r.report()) ==
        "log: azure (CSV)\n"
        "  2 rows, 1 requests over 0.000 s, from 2024-01-01 00:00:00 UTC to 2024-01-01 00:00:00 UTC\n"
        "  rows without output tokens: 1 dropped; line 3\n");
  CHECK(mentions(to_json(r.report()), "\"cause\": \"zero_output\""));
}

TEST_CASE("The Azure 2023 files are read whole, and Vidur's copy of them gives the same requests") {
  const auto [name, requests, in, out] = GENERATE(table<std::string, std::size_t, std::int64_t, std::int64_t>(
      {{"code", 8'819, 18'059'974, 245'896}, {"conv", 19'366, 22'361'870, 4'088'665}}));
  const std::string path = test::shared_data("traces/azure-2023/AzureLLMInferenceTrace_" + name + ".csv").string();
  const Reading r = read_file(path);
  REQUIRE(r.requests.size() == requests);
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
  std::string vidur = "arrived_at,num_prefill_tokens,num_decode_tokens\n";
  for (const Request& request : r.requests) {
    input_tokens += request.input_tokens;
    output_tokens += request.output_tokens;
    char line[96];
    std::snprintf(line, sizeof line, "%.17g,%d,%d\n", request.arrival.seconds(), request.input_tokens, request.output_tokens);
    vidur += line;
  }
  CHECK(input_tokens == in);
  CHECK(output_tokens == out);
  CHECK(r.report().counts.all().empty());
  // Vidur writes the same arrivals as Python floats; rounding to the picosecond undoes their noise.
  const Reading copy = read_text(vidur);
  REQUIRE(copy.requests.size() == requests);
  for (std::size_t i = 0; i < requests; ++i) REQUIRE(copy.requests[i].arrival == r.requests[i].arrival);
}

TEST_CASE("Streaming a file larger than memory gives the same requests and the same report") {
  const std::string path = test::shared_data("traces/mooncake/conversation_trace.jsonl").string();
  TraceOptions small;
  small.rows_in_memory = 100;
  const Reading held = read_file(path);
  const Reading streamed = read_file(path, small);
  REQUIRE(held.requests.size() == 12'031);
  REQUIRE(streamed.requests.size() == 12'031);
  for (std::size_t i = 0; i < held.requests.size(); ++i) {
    REQUIRE(streamed.requests[i].arrival == held.requests[i].arrival);
    REQUIRE(streamed.requests[i].block_hashes == held.requests[i].block_hashes);
  }
  CHECK(to_json(streamed.report()) == to_json(held.report()));
  CHECK(held.rows(RowCause::duplicate) == 1);
}
