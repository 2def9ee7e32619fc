#include <cmath>

#include "models/cost/collective_fit.h"
#include "models/cost/nccl_tests_log.h"
#include "tests/support/catch.h"

using namespace rackwright;
using cost::CollectiveSpan;

TEST_CASE("Between nodes the ramp of a fit ends at ten knees, inside a domain it does not end") {
  // t = 30 us + S / 200 GB/s + r √(S / (1 + S / E)); the knee of the rows is 31 us · 2 GiB / 10.8 ms, about 6.1 MB.
  const std::vector<cost::SizedTime> rows{{1024, 30e-6}, {16 << 20, 200e-6}, {2147483648.0, 10.8e-3}};
  const cost::CollectiveFit inside = cost::fit_collective(rows);
  const cost::CollectiveFit between = cost::fit_collective(rows, CollectiveSpan::nodes);
  CHECK(std::isinf(inside.ramp_end_bytes));
  CHECK(between.ramp_end_bytes == Approx(10 * 30e-6 * 2147483648.0 / 10.8e-3));
  for (const cost::SizedTime& row : rows) {
    CHECK(inside.seconds(row.bytes) == Approx(row.seconds));
    CHECK(between.seconds(row.bytes) == Approx(row.seconds));
  }
  // Far beyond its end the ramp is a start of its own, so that the rest grows as the bytes.
  const double end = between.ramp_end_bytes;
  CHECK(between.seconds(4000 * end) - between.seconds(2000 * end) == Approx(2000 * end * between.s_per_byte).epsilon(1e-3));
}

TEST_CASE("Between nodes a small buffer that was disturbed is no row to fit to") {
  std::vector<cost::SizedTime> rows;
  const double us[] = {564, 382, 358, 378, 391, 505, 830, 2270, 11172};
  for (std::size_t i = 0; i < std::size(us); ++i) rows.push_back({131072.0 * std::pow(4.0, static_cast<double>(i)), us[i] * 1e-6});
  // The last within a quarter of the quickest is the fifth; two fifths of the way to 11,172 us: 391 · (11172 / 391)^0.4 = 1493.
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
