#include "tests/differential/published_nccl.h"

namespace rackwright::test {
namespace {

using K = llm::OperatorKind;

constexpr double KiB = 1024;
constexpr double MiB = 1024 * KiB;

std::vector<PublishedNccl> tables() {
  std::vector<PublishedNccl> all;
  std::vector<double> bytes;
  for (const double elements : {512.0, 4096.0, 32768.0, 262144.0, 1048576.0, 4194304.0, 16777216.0, 67108864.0, 134217728.0, 268435456.0})
    bytes.push_back(2 * elements);
  const auto tests = [&](const char* title, bool nvlink4, K kind, int ranks, std::vector<double> us) {
    all.push_back({title, "NCCL tests of AIConfigurator, 2-byte elements", nvlink4, kind, ranks, bytes, std::move(us), 0.10, 0.30});
  };
  tests("8 H100, all-reduce", true, K::all_reduce, 8, {15.6, 16.0, 18.7, 20.1, 38.2, 78.9, 199.8, 578.7, 1092.1, 2111.1});
  tests("4 H100, all-reduce", true, K::all_reduce, 4, {9.3, 10.0, 11.3, 14.5, 27.7, 62.8, 175.7, 613.2, 1181.0, 2299.7});
  tests("2 H100, all-reduce", true, K::all_reduce, 2, {5.9, 6.8, 7.3, 10.7, 27.9, 47.3, 143.6, 466.2, 881.3, 1686.4});
  tests("8 H100, all-gather", true, K::all_gather, 8, {10.4, 10.6, 13.1, 15.4, 22.2, 44.9, 125.5, 392.8, 728.8, 1401.5});
  tests("8 H100, reduce-scatter", true, K::reduce_scatter, 8, {10.3, 10.5, 11.7, 12.3, 17.9, 43.8, 111.3, 382.2, 721.7, 1399.4});
  tests("8 H100, all-to-all", true, K::all_to_all, 8, {8.1, 7.5, 8.7, 14.8, 18.6, 41.4, 124.9, 402.4, 763.9, 1490.4});
  tests("8 B200, all-reduce", false, K::all_reduce, 8, {25.2, 26.0, 29.0, 28.4, 32.1, 71.6, 167.8, 398.4, 715.4, 1334.6});
  tests("8 A100, all-reduce", false, K::all_reduce, 8, {21.8, 21.3, 28.1, 30.1, 53.7, 128.0, 367.0, 1169.1, 2182.5, 4225.9});
  tests("2 L40S, all-reduce", false, K::all_reduce, 2, {6.0, 8.1, 12.6, 50.0, 120.7, 428.9, 1689.3, 6719.6, 13373, 26700});

  const std::string stas = "torch.distributed runs of stas00/ml-engineering";
  std::vector<double> doubling;
  for (double size = 32 * KiB; size <= 512 * MiB; size *= 2) doubling.push_back(size);
  for (const double gib : {2.0, 4.0, 8.0, 16.0}) doubling.push_back(gib * 1024 * MiB);
  all.push_back({"8 H200 with NVLink SHARP, all-reduce", stas, true, K::all_reduce, 8, doubling,
                 {40, 39, 40, 39, 38, 46, 57, 69, 94, 134, 213, 339, 584, 1077, 2086, 8010, 15887, 31485, 62341}, 0.10, 0.30});
  all.push_back({"8 B200, all-reduce, another machine", stas, false, K::all_reduce, 8, doubling,
                 {48, 53, 47, 48, 49, 51, 58, 96, 116, 115, 180, 293, 413, 727, 1364, 5113, 10148, 17916, 35551}, 0.10, 0.30});
  // The two smallest sizes took 3 to 6 ms: an outlier of that test bed, left out.
  all.push_back({"32 B200 in 4 nodes, all-reduce", stas, false, K::all_reduce, 32, {doubling.begin() + 2, doubling.end()},
                 {564, 382, 358, 378, 391, 430, 463, 505, 713, 830, 1314, 2270, 3182, 11172, 22053, 43752, 87182}, 0.17, 0.59});
  return all;
}

}  // namespace

const std::vector<PublishedNccl>& published_nccl() {
  static const std::vector<PublishedNccl> all = tables();
  return all;
}

const std::vector<PublishedBandwidth>& published_bus_bandwidths() {
  static const std::vector<PublishedBandwidth> all{{"8 H200, all-reduce in a ring", K::all_reduce, 8, 366e9},
                                                   {"4 H200, all-reduce in a ring", K::all_reduce, 4, 363e9},
                                                   {"8 H200, all-gather", K::all_gather, 8, 361e9},
                                                   {"8 H200, reduce-scatter", K::reduce_scatter, 8, 363e9}};
  return all;
}

}  // namespace rackwright::test
