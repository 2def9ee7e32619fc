#include "tests/differential/measured_collectives_page.h"

#include <fmt/format.h>

#include <cmath>
#include <fstream>

#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace rackwright;

namespace {

/// Tables of a machine with `gpus` GPUs: every collective takes 10 us and 4 us a MiB.
void write_profile(const std::filesystem::path& folder, int gpus) {
  std::ofstream out(folder / fmt::format("collective.{}gpus.csv", gpus));
  out << "# rackwright-profile: 1\n# family: collective." << gpus << "gpus\n# device: NVIDIA H200\n# gpus: " << gpus
      << "\n# nccl: 2.28.9\n# nvls: off\n# topology: every GPU: 18 NVLinks to switches\n# date: 2026-12-01T00:00:00Z\n"
      << "impl,op,gpus,bytes,mode,median_us,p10_us,p90_us,reps,inner,sm_mhz,skip\n";
  for (const char* op : {"all_reduce", "all_gather", "reduce_scatter", "all_to_all"})
    for (int ranks = 2; ranks <= gpus; ranks *= 2)
      for (std::int64_t bytes = 1024; bytes <= 1 << 30; bytes *= 2) {
        const double us = 10 + 4.0 * static_cast<double>(bytes) / (1 << 20);
        out << fmt::format("nccl,{},{},{},graph,{},{},{},20,1,,\n", op, ranks, bytes, us, us, us);
      }
}

}  // namespace

TEST_CASE("The page compares with the published 8 H200 and 8 H100 as soon as eight GPUs were measured") {
  const test::TemporaryFolder folder;
  write_profile(folder.path(), 8);
  const std::string page = test::measured_collectives_section(folder.path());
  CAPTURE(page);
  const auto holds = [&](const std::string& text) { return page.find(text) != std::string::npos; };
  CHECK(holds("`collective.8gpus.csv`: 8 × NVIDIA H200, every GPU: 18 NVLinks to switches; NCCL 2.28.9; sums in the switches (NVLS): off"));
  for (const char* title : {"8 H100, all-reduce", "4 H100, all-reduce", "2 H100, all-reduce", "8 H100, all-gather", "8 H100, reduce-scatter",
                            "8 H100, all-to-all", "8 H200 with NVLink SHARP, all-reduce"})
    CHECK(holds(fmt::format("## {}: published and measured", title)));
  // 10 + 4 · 128 us against 578.7 published: −9.8 %.
  CHECK(holds("| 128 MiB | 578.7 us | 522.0 us | -9.8 % |"));
  // 1 GiB in 4,106 us; an all-reduce over eight carries 7/4 of that over each link: 458 GB/s.
  CHECK(holds("| 8 H200, all-reduce in a ring | 366 GB/s | 458 GB/s | +25.0 % |"));
  // Sizes past 1 GiB were not measured.
  CHECK_FALSE(holds("| 2 GiB |"));
}

TEST_CASE("Numbers of GPUs that were not measured have no table") {
  const test::TemporaryFolder folder;
  write_profile(folder.path(), 2);
  const std::string page = test::measured_collectives_section(folder.path());
  CHECK(page.find("## 2 H100, all-reduce") != std::string::npos);
  CHECK(page.find("## 8 H100") == std::string::npos);
  CHECK(page.find("## Bus bandwidth") == std::string::npos);
}

TEST_CASE("Two H200 take what two H100 were published to take, within 8 percent") {
  // The committed tables; the links are the same.
  const std::string page = test::measured_collectives_section(test::committed_h200_profile());
  const auto begin = page.find("## 2 H100, all-reduce");
  REQUIRE(begin != std::string::npos);
  int rows = 0;
  for (auto at = page.find(" % |", begin); at != std::string::npos; at = page.find(" % |", at + 1), ++rows) {
    const auto start = page.rfind("| ", at) + 2;
    CHECK(std::abs(std::stod(page.substr(start, at - start))) < 8);
    if (page.find("\n## ", begin + 1) < at) break;
  }
  CHECK(rows == 10);
}
