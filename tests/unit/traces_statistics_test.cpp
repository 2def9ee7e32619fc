#include "tests/support/shared_data.h"
#include "tests/unit/traces_support.h"
#include "traces/statistics/trace_statistics.h"
#include "traces/transforms/transforms.h"

using namespace rackwright;
using namespace rackwright::traces;

namespace {

TraceStatistics statistics_of(const std::string& path) {
  Diagnostics diagnostics;
  const auto source = open_trace(path, {}, diagnostics);
  REQUIRE(source);
  return inspect(*source);
}

double percent(std::uint64_t part, std::uint64_t whole) { return 100.0 * static_cast<double>(part) / static_cast<double>(whole); }

/// Equal when rounded to the digits that the published table shows.
Approx rounded(double value, double half_step) { return Approx(value).margin(half_step); }

}  // namespace

TEST_CASE("Quantiles are nearest ranks, and an empty histogram has none") {
  TokenHistogram h;
  CHECK(h.quantile(0.5) == 0);
  CHECK(h.bins().empty());
  for (const int tokens : {1, 2, 3, 4, 100'000}) h.add(tokens);
  CHECK(h.min() == 1);
  CHECK(h.quantile(0.2) == 1);   // ⌈0.2·5⌉ = 1st
  CHECK(h.quantile(0.21) == 2);  // ⌈1.05⌉ = 2nd
  CHECK(h.quantile(0.5) == 3);
  CHECK(h.quantile(0.99) == 100'000);
  CHECK(h.max() == 100'000);
  CHECK(h.mean() == 20'002);
  REQUIRE(h.bins().size() == 4);
  CHECK(h.bins()[1].from == 2);
  CHECK(h.bins()[1].to == 3);
  CHECK(h.bins()[1].count == 2);
  CHECK(h.bins()[3].from == 65'536);
}

TEST_CASE("Evenly spaced arrivals have no dispersion, and a burst has all of it") {
  ArrivalStatistics even;
  for (int i = 0; i < 10; ++i) even.add(SimTime{i * picoseconds_per_second});
  CHECK(even.interarrival_cv() == Approx(0).margin(1e-9));
  CHECK(even.dispersion_1s() == Approx(0).margin(1e-12));
  CHECK(even.rate_per_s() == Approx(10.0 / 9));
  CHECK(even.empty_bins() == 0);
  // Four at once, then one 3 s later: bins 4, 0, 0, 1: mean 5/4, variance 17/4 − 25/16 = 43/16, ratio 43/20.
  ArrivalStatistics burst;
  for (int i = 0; i < 4; ++i) burst.add({});
  burst.add(SimTime{3 * picoseconds_per_second});
  CHECK(burst.dispersion_1s() == Approx(43.0 / 20));
  CHECK(burst.peak_1s() == 4);
  CHECK(burst.ties() == 3);
  CHECK(burst.empty_bins() == 2);
  CHECK(burst.longest_gap() == SimTime{3 * picoseconds_per_second});
  CHECK(ArrivalStatistics{}.dispersion_1s() == 0);
}

TEST_CASE("A prefix hits up to its first new block, and the same id behind another prefix is another block") {
  PrefixStatistics p;
  Request request;
  request.block_tokens = 10;
  const auto add = [&](std::vector<std::uint64_t> hashes, std::int32_t tokens) {
    request.block_hashes = std::move(hashes);
    request.input_tokens = tokens;
    p.add(request);
  };
  add({1, 2, 3}, 25);  // nothing known
  add({1, 2, 4}, 30);  // two of three blocks, 20 tokens
  add({9, 2, 3}, 30);  // 9 is new, so 2 and 3 are other blocks
  add({1, 2, 3}, 25);  // everything, and no more tokens than there are
  CHECK(p.blocks() == 12);
  CHECK(p.hit_blocks() == 5);
  CHECK(p.distinct_blocks() == 7);
  CHECK(p.tokens() == 110);
  CHECK(p.hit_tokens() == 45);
  CHECK(p.requests_with_hit() == 2);
  CHECK(p.requests_fully_hit() == 1);
}

TEST_CASE("The statistics of the Azure 2023 traces are the published ones") {
  const std::string code = test::shared_data("traces/azure-2023/AzureLLMInferenceTrace_code.csv").string();
  const TraceStatistics c = statistics_of(code);
  CHECK(c.arrivals.count() == 8'819);
  CHECK(c.arrivals.span().seconds() == rounded(3'435.948, 0.0005));
  CHECK(c.arrivals.rate_per_s() == rounded(2.567, 0.0005));
  CHECK(c.input.quantile(0.5) == 1'469);
  CHECK(c.input.quantile(0.9) == 5'194);
  CHECK(c.input.quantile(0.99) == 7'436);
  CHECK(c.input.max() == 7'437);
  CHECK(c.input.min() == 3);
  CHECK(c.input.mean() == rounded(2'047.8, 0.05));
  CHECK(c.output.quantile(0.5) == 13);
  CHECK(c.output.quantile(0.9) == 55);
  CHECK(c.output.quantile(0.99) == 252);
  CHECK(c.output.max() == 1'899);
  CHECK(c.output.min() == 6);
  CHECK(c.output.mean() == rounded(27.9, 0.05));
  CHECK(c.arrivals.dispersion_1s() == rounded(13.2, 0.05));
  CHECK(c.arrivals.interarrival_cv() == rounded(13.15, 0.005));
  CHECK(c.arrivals.peak_1s() == 67);
  CHECK(c.arrivals.longest_gap().seconds() == rounded(217.2, 0.05));
  CHECK(c.arrivals.empty_bins() == 2'521);
  CHECK(c.arrivals.bins() == 3'436);
  CHECK(c.input.total() == 18'059'974);
  CHECK(c.output.total() == 245'896);
  CHECK(c.arrivals.ties() == 0);
  CHECK(c.duplicates == 0);

  const TraceStatistics v = statistics_of(test::shared_data("traces/azure-2023/AzureLLMInferenceTrace_conv.csv").string());
  CHECK(v.arrivals.count() == 19'366);
  CHECK(v.arrivals.span().seconds() == rounded(3'501.722, 0.0005));
  CHECK(v.arrivals.rate_per_s() == rounded(5.530, 0.0005));
  CHECK(v.input.quantile(0.5) == 1'020);
  CHECK(v.input.quantile(0.9) == 2'735);
  CHECK(v.input.quantile(0.99) == 4'142);
  CHECK(v.input.max() == 14'050);
  CHECK(v.input.min() == 2);
  CHECK(v.input.mean() == rounded(1'154.7, 0.05));
  CHECK(v.output.quantile(0.5) == 129);
  CHECK(v.output.quantile(0.9) == 424);
  CHECK(v.output.quantile(0.99) == 601);
  CHECK(v.output.max() == 1'000);
  CHECK(v.output.min() == 7);
  CHECK(v.output.mean() == rounded(211.1, 0.05));
  CHECK(v.arrivals.dispersion_1s() == rounded(1.39, 0.005));
  CHECK(v.arrivals.interarrival_cv() == rounded(1.09, 0.005));
  CHECK(v.arrivals.peak_1s() == 16);
  CHECK(v.arrivals.longest_gap().seconds() == rounded(4.3, 0.05));
  CHECK(v.input.total() == 22'361'870);
  CHECK(v.output.total() == 4'088'665);
}

TEST_CASE("The statistics of the Mooncake conversation trace are the published ones") {
  const std::string path = test::shared_data("traces/mooncake/conversation_trace.jsonl").string();
  const TraceStatistics s = statistics_of(path);
  CHECK(s.arrivals.count() == 12'031);
  CHECK(s.arrivals.span().seconds() == rounded(3'537.0, 0.05));
  CHECK(s.arrivals.rate_per_s() == rounded(3.40, 0.005));
  CHECK(s.input.mean() == rounded(12'035, 0.5));
  CHECK(s.input.quantile(0.5) == 6'909);
  CHECK(s.input.quantile(0.9) == 27'367);
  CHECK(s.input.quantile(0.99) == 85'401);
  CHECK(s.input.max() == 126'195);
  CHECK(s.input.min() == 891);
  CHECK(s.output.mean() == rounded(342.6, 0.05));
  CHECK(s.output.quantile(0.5) == 350);
  CHECK(s.output.quantile(0.9) == 597);
  CHECK(s.output.quantile(0.99) == 1'120);
  CHECK(s.output.max() == 2'000);
  CHECK(s.output.min() == 1);
  CHECK(s.prefix.blocks() == 288'500);
  CHECK(s.prefix.distinct_blocks() == 182'790);
  CHECK(percent(s.prefix.hit_blocks(), s.prefix.blocks()) == rounded(36.64, 0.005));
  CHECK(percent(s.prefix.hit_tokens(), s.prefix.tokens()) == rounded(37.4, 0.05));
  CHECK(s.prefix.requests_with_hit() == 12'030);
  CHECK(s.prefix.requests_fully_hit() == 118);
  CHECK(s.arrivals.dispersion_1s() == rounded(7.89, 0.005));
  CHECK(s.arrivals.peak_1s() == 28);
  CHECK(s.arrivals.ties() == 10'851);
  CHECK(s.arrivals.empty_bins() == 2'357);
  CHECK(s.input.total() == 144'793'823);
  CHECK(s.output.total() == 4'122'048);
  CHECK(s.duplicates == 1);
}

TEST_CASE("Spreading the ticks of the Mooncake trace leaves no ties and fills its empty seconds") {
  const std::string path = test::shared_data("traces/mooncake/conversation_trace.jsonl").string();
  Diagnostics diagnostics;
  RowCounts counts;
  const auto source = dequantize(open_trace(path, {}, diagnostics), SimTime{3 * picoseconds_per_second}, 1, counts);
  const TraceStatistics s = inspect(*source);
  CHECK(s.arrivals.count() == 12'031);
  CHECK(s.arrivals.ties() == 0);
  // A tick of n requests spread over 3 s leaves a second empty with probability (2/3)^n; the trace has 10 a tick.
  CHECK(s.arrivals.empty_bins() < 250);
  CHECK(s.arrivals.dispersion_1s() < 2);
  CHECK(s.duplicates == 0);
}

TEST_CASE("Statistics read as text and as JSON, by model and class") {
  Diagnostics diagnostics;
  const auto source = open_trace_bytes("log",
                                       "Timestamp,Model,Request tokens,Response tokens,Log Type\n1,a,10,1,x\n1,a,10,1,x\n3,b,30,2,y\n", {},
                                       diagnostics);
  REQUIRE(source);
  const TraceStatistics s = inspect(*source);
  CHECK(s.models.at("a").requests == 2);
  CHECK(s.models.at("b").input_tokens == 30);
  CHECK(s.classes.at("y").output_tokens == 2);
  CHECK(s.duplicates == 1);
  const std::string text = to_text(s);
  CHECK(text.find("3 requests over 2.000 s, 1.500 /s") != std::string::npos);
  CHECK(text.find("model a: 2 requests, 20 input and 2 output tokens") != std::string::npos);
  CHECK(to_json(s).find("\"rate_per_s\": 1.5") != std::string::npos);
}
