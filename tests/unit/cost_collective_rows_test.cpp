#include <cmath>

#include "models/cost/collective_fit.h"
#include "models/cost/nccl_tests_log.h"
#include "tests/support/catch.h"

using namespace rackwright;
using cost::CollectiveSpan;

TEST_CASE("Between nodes large buffers have a greater start than small ones, inside a domain a ramp that does not end") {
  // Three rows, three terms: t = 30 us + S / 200 GB/s + switch · (1 − exp(−(S / E)²)), E = 0.625 · 16 MiB.
  const std::vector<cost::SizedTime> rows{{1024, 30e-6}, {16 << 20, 200e-6}, {2147483648.0, 10.8e-3}};
  const cost::CollectiveFit inside = cost::fit_collective(rows);
  const cost::CollectiveFit between = cost::fit_collective(rows, CollectiveSpan::nodes);
  CHECK(inside.switch_s == 0);
  CHECK(between.s_per_root_byte == 0);
  CHECK(between.switch_bytes == Approx(0.625 * (16 << 20)));
  for (const cost::SizedTime& row : rows) {
    CHECK(inside.seconds(row.bytes) == Approx(row.seconds));
    CHECK(between.seconds(row.bytes) == Approx(row.seconds));
  }
  // Beyond E what is left to grow is the bytes; far below it there is nothing of the switch.
  const double end = between.switch_bytes;
  CHECK(between.seconds(40 * end) - between.seconds(20 * end) == Approx(20 * end * between.s_per_byte));
  CHECK(between.seconds(end / 1000) == Approx(between.start_s + end / 1000 * between.s_per_byte).epsilon(1e-4));
  // Two sizes say nothing of a switch.
  CHECK(cost::fit_collective(std::vector{rows[0], rows[2]}, CollectiveSpan::nodes).switch_s == 0);
}

TEST_CASE("Between nodes the rows to fit to are where the start ends, the one that start and rate miss most, and the largest") {
  std::vector<cost::SizedTime> rows;
  const double us[] = {564, 382, 358, 378, 391, 505, 830, 2270, 11172};
  for (std::size_t i = 0; i < std::size(us); ++i) rows.push_back({131072.0 * std::pow(4.0, static_cast<double>(i)), us[i] * 1e-6});
  // Within 1.3 · 358 = 465 us: up to the fifth. The line from 391 us (32 MiB) to 11,172 us (8 GiB), 1.321 us a MiB, has 518,
  // 1,025 and 3,055 us for the three between: 505 / 518 = 1 / 1.03, 830 / 1025 = 1 / 1.23, 2270 / 3055 = 1 / 1.35.
  CHECK(cost::calibration_rows(rows, CollectiveSpan::nodes) == std::vector<std::size_t>{4, 7, 8});
  CHECK(cost::calibration_rows(rows).front() == 0);
}

TEST_CASE("A log of nccl-tests gives ranks, nodes and times in place, whatever runs before its lines") {
  const std::string head = "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong\n";
  const std::string listed =
      "$ mpirun -np 4 ./build/reduce_scatter_perf -b 0 -e 64M\n"
      "#  Rank  0 Group  0 Pid 1 on node-a device  0 [0x1b] NVIDIA H100\n#  Rank  1 Group  0 Pid 2 on node-a device  1 [0x2b] NVIDIA H100\n"
      "#  Rank  2 Group  0 Pid 3 on node-b device  0 [0x1b] NVIDIA H100\n#  Rank  3 Group  0 Pid 4 on node-b device  1 [0x2b] NVIDIA H100\n";
  const std::string rows =
      "           0             0     float     sum      -1    15.51    0.00    0.00      0    15.52    0.00    0.00      0\n"
      "    67108864      16777216     float     sum      -1    996.0   67.38   50.54      0   1001.7   66.99   50.24      0\n";
  Diagnostics findings;
  const auto series = cost::read_nccl_tests_log("run.log", listed + head + rows, findings);
  REQUIRE(series.size() == 1);
  CHECK(series[0].op == "reduce_scatter");
  CHECK(series[0].ranks == 4);
  CHECK(series[0].nodes == 2);
  REQUIRE(series[0].rows.size() == 1);  // Buffers of no bytes are left out.
  CHECK(series[0].rows[0].bytes == 67108864);
  CHECK(series[0].rows[0].seconds == Approx(1001.7e-6));

  // Without the list, 2 (n − 1) / n of 126.33 to 67.38 GB/s is 16 ranks of an all-reduce. Versions differ in columns; the
  // operation in place may be absent.
  std::string tagged;
  for (const std::string& line : {head, std::string("    67108864      16777216     float     sum      -1    996.0   67.38  126.33      0    N/A   N/A  N/A      N/A\r\n"),
                                  std::string("   134217728      33554432     float     sum    1950.5   68.81  129.02  0e+00   1725.6   77.78  145.83  0e+00\n")})
    tagged += "[1,0]<stdout>:" + line;
  const auto other = cost::read_nccl_tests_log("run.log", tagged, findings);
  REQUIRE(other.size() == 1);
  CHECK(other[0].op == "all_reduce");
  CHECK(other[0].ranks == 16);
  CHECK(other[0].nodes == 2);  // Of eight.
  REQUIRE(other[0].rows.size() == 2);
  CHECK(other[0].rows[0].seconds == Approx(996e-6));
  CHECK(other[0].rows[1].seconds == Approx(1725.6e-6));
  CHECK_FALSE(findings.has_errors());
}

TEST_CASE("A log of nccl-tests without a row is an error") {
  Diagnostics findings;
  CHECK(cost::is_nccl_tests_log("# size count type redop root time algbw busbw\n"));
  CHECK(cost::read_nccl_tests_log("empty.log", "# size count type redop root time algbw busbw\nAborted\n", findings).empty());
  CHECK(findings.error_count() == 1);
}
