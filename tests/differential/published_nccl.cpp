#include "tests/differential/published_nccl.h"

namespace rackwright::test {
namespace {

using cost::CollectiveSpan;
using K = llm::OperatorKind;
using Link = PublishedNccl::Link;

constexpr double KiB = 1024;
constexpr double MiB = 1024 * KiB;
constexpr double GiB = 1024 * MiB;

constexpr const char* aiconfigurator = "NCCL tests of AIConfigurator, 2-byte elements";
constexpr const char* stas = "torch.distributed runs of stas00/ml-engineering";
constexpr const char* hgx = "nccl-tests in an issue of NVIDIA/nccl, HGX H100, one 400 Gb/s card a GPU, NCCL 2.26, in place";
constexpr const char* azure = "nccl-tests on Azure's ND A100 v4, one 200 Gb/s card a GPU, in place between nodes";

const std::vector<double> aiconfigurator_bytes{1 * KiB, 8 * KiB, 64 * KiB, 512 * KiB, 2 * MiB, 8 * MiB, 32 * MiB, 128 * MiB, 256 * MiB, 512 * MiB};

std::vector<double> doubling(double first, int count) {
  std::vector<double> all;
  for (int i = 0; i < count; ++i, first *= 2) all.push_back(first);
  return all;
}

/// From 32 KiB to 512 MiB doubling, then 2, 4, 8 and 16 GiB.
std::vector<double> stas_bytes(int from) {
  std::vector<double> all;
  for (double size = 32 * KiB; size <= 512 * MiB; size *= 2) all.push_back(size);
  for (const double gib : {2.0, 4.0, 8.0, 16.0}) all.push_back(gib * GiB);
  return {all.begin() + from, all.end()};
}

std::vector<PublishedNccl> inside_a_domain() {
  const auto row = [](const char* title, Link link, K kind, int ranks, std::vector<double> us) {
    return PublishedNccl{title, aiconfigurator, CollectiveSpan::domain, link, kind, ranks, aiconfigurator_bytes, std::move(us)};
  };
  return {
      row("8 H100, all-reduce", Link::nvlink4, K::all_reduce, 8, {15.6, 16.0, 18.7, 20.1, 38.2, 78.9, 199.8, 578.7, 1092.1, 2111.1}),
      row("4 H100, all-reduce", Link::nvlink4, K::all_reduce, 4, {9.3, 10.0, 11.3, 14.5, 27.7, 62.8, 175.7, 613.2, 1181.0, 2299.7}),
      row("2 H100, all-reduce", Link::nvlink4, K::all_reduce, 2, {5.9, 6.8, 7.3, 10.7, 27.9, 47.3, 143.6, 466.2, 881.3, 1686.4}),
      row("8 H100, all-gather", Link::nvlink4, K::all_gather, 8, {10.4, 10.6, 13.1, 15.4, 22.2, 44.9, 125.5, 392.8, 728.8, 1401.5}),
      row("8 H100, reduce-scatter", Link::nvlink4, K::reduce_scatter, 8, {10.3, 10.5, 11.7, 12.3, 17.9, 43.8, 111.3, 382.2, 721.7, 1399.4}),
      row("8 H100, all-to-all", Link::nvlink4, K::all_to_all, 8, {8.1, 7.5, 8.7, 14.8, 18.6, 41.4, 124.9, 402.4, 763.9, 1490.4}),
      row("8 B200, all-reduce", Link::other, K::all_reduce, 8, {25.2, 26.0, 29.0, 28.4, 32.1, 71.6, 167.8, 398.4, 715.4, 1334.6}),
      row("8 A100, all-reduce", Link::other, K::all_reduce, 8, {21.8, 21.3, 28.1, 30.1, 53.7, 128.0, 367.0, 1169.1, 2182.5, 4225.9}),
      row("2 L40S, all-reduce", Link::other, K::all_reduce, 2, {6.0, 8.1, 12.6, 50.0, 120.7, 428.9, 1689.3, 6719.6, 13373, 26700}),
      {"8 H200 with NVLink SHARP, all-reduce", stas, CollectiveSpan::domain, Link::nvlink4, K::all_reduce, 8, stas_bytes(0),
       {40, 39, 40, 39, 38, 46, 57, 69, 94, 134, 213, 339, 584, 1077, 2086, 8010, 15887, 31485, 62341}},
      {"8 B200, all-reduce, another machine", stas, CollectiveSpan::domain, Link::other, K::all_reduce, 8, stas_bytes(0),
       {48, 53, 47, 48, 49, 51, 58, 96, 116, 115, 180, 293, 413, 727, 1364, 5113, 10148, 17916, 35551}},
      {"8 H100 of a p5, all-reduce", "nccl-tests on AWS p5, out of place", CollectiveSpan::domain, Link::nvlink4, K::all_reduce, 8, doubling(1 * KiB, 25),
       {16.43, 16.62, 16.76, 16.85, 17.46, 18.78, 19.09, 19.37, 20.27, 21.17, 28.56, 43.45, 55.44, 84.29, 124.0, 198.6, 326.6, 592.8, 1121.4,
        2165.3, 4253.0, 8463.7, 15791, 31289, 62239}},
      {"8 A100, all-reduce, another machine", azure, CollectiveSpan::domain, Link::other, K::all_reduce, 8, doubling(1 * KiB, 24),
       {20.35, 21.65, 23.22, 24.43, 25.70, 29.24, 28.32, 29.05, 28.98, 30.23, 37.33, 63.11, 84.77, 131.1, 220.5, 353.9, 579.2, 1157.6, 2169.8,
        4204.0, 8212.6, 16274, 32200, 64200}},
      {"8 B200, all-gather", "nccl-tests on a DGX B200", CollectiveSpan::domain, Link::other, K::all_gather, 8, doubling(1 * KiB, 25),
       {16.42, 16.74, 16.88, 17.13, 17.10, 17.93, 18.70, 18.87, 19.21, 19.89, 19.69, 22.35, 29.96, 44.92, 49.04, 76.98, 139.13, 207.50, 393.96,
        762.42, 1486.06, 2911.01, 5723.35, 11322.8, 22357.0}},
      {"8 GB200 of two trays, all-reduce", "nccl-tests in Oracle's guide to Kubernetes on GB200, in place", CollectiveSpan::domain, Link::other, K::all_reduce, 8, doubling(1 * KiB, 26),
       {26.93, 27.36, 27.67, 28.05, 28.13, 28.87, 29.35, 30.09, 30.18, 30.54, 31.49, 34.74, 52.39, 68.24, 100.5, 157.8, 264.6, 384.4, 697.3,
        1314.0, 2549.1, 4557.1, 9019.7, 17885, 35568, 70956}},
      {"4 A100 without switches, all-reduce", "nccl-tests on a node of Polaris, NCCL_PROTO=Simple", CollectiveSpan::domain, Link::other, K::all_reduce, 4, doubling(512 * KiB, 14),
       {65.05, 68.54, 75.82, 90.20, 116.69, 195.46, 317.64, 599.52, 1119.32, 2141.59, 4131.40, 8106.60, 15895.0, 31422.1}},
  };
}

std::vector<PublishedNccl> between_nodes() {
  return {
      // The two smallest sizes took 3 to 6 ms: an outlier of that test bed, left out.
      {"32 B200 in 4 nodes, all-reduce", stas, CollectiveSpan::nodes, Link::other, K::all_reduce, 32, stas_bytes(2),
       {564, 382, 358, 378, 391, 430, 463, 505, 713, 830, 1314, 2270, 3182, 11172, 22053, 43752, 87182}},
      {"16 H100 in 2 nodes, all-reduce", "nccl-tests on two AWS p5 (aws_eks_p5_allreduce_mpirun_prefixed.log), in place", CollectiveSpan::nodes, Link::other, K::all_reduce, 16, doubling(64 * MiB, 6),
       {1001.7, 1725.6, 3020.7, 3599.7, 6426.1, 9195.2}},
      {"16 H100 in 2 nodes, all-reduce, another machine", hgx, CollectiveSpan::nodes, Link::other, K::all_reduce, 16, doubling(1 * KiB, 25),
       {26.65, 28.22, 29.72, 31.67, 32.24, 33.47, 33.08, 38.12, 46.79, 70.33, 71.47, 76.62, 94.22, 131.4, 183.8, 267.7, 466.3,
        749.2, 1276.0, 2355.1, 4470.2, 8717.2, 17284, 34365, 68668}},
      {"32 H100 in 4 nodes, all-reduce", hgx, CollectiveSpan::nodes, Link::other, K::all_reduce, 32, doubling(1 * KiB, 25),
       {37.10, 40.03, 41.42, 45.55, 46.39, 46.79, 47.60, 55.06, 66.86, 72.78, 82.21, 132.2, 154.0, 202.4, 258.3, 370.3, 574.4,
        1013.1, 1772.4, 3111.7, 5802.8, 11501, 22874, 45573, 91081}},
      {"16 A100 in 2 nodes, all-reduce", azure, CollectiveSpan::nodes, Link::other, K::all_reduce, 16, doubling(1 * KiB, 24),
       {39.85, 42.45, 46.14, 53.94, 57.07, 56.87, 56.58, 63.45, 67.47, 79.27, 96.62, 127.9, 147.4, 209.2, 331.1, 621.0, 938.9,
        1689.0, 3000.5, 5693.8, 11095, 21765, 43174, 85895}},
      {"16 A100 in 2 nodes, all-reduce, another machine", "nccl-tests in Oracle's guide to RDMA clusters on Kubernetes, in place", CollectiveSpan::nodes, Link::other, K::all_reduce, 16, doubling(1 * KiB, 24),
       {40.56, 41.29, 43.36, 46.51, 48.00, 49.17, 50.09, 53.31, 65.81, 72.87, 84.50, 100.1, 127.8, 168.4, 265.9, 452.0, 812.7,
        1546.1, 3065.9, 6070.5, 9073.4, 17557, 34417, 67811}},
      {"16 H100 in 2 nodes over TCP, all-reduce", "nccl-tests on Google's A3 Mega (GPUDirect-TCPXO), in place", CollectiveSpan::nodes, Link::other, K::all_reduce, 16, doubling(1 * KiB, 24),
       {123.1, 124.6, 125.6, 130.6, 137.6, 153.1, 157.6, 169.0, 163.9, 171.0, 207.2, 252.9, 356.6, 563.5, 951.6, 1054.0, 1270.2,
        1636.7, 2359.9, 3828, 6737.4, 12641, 24365, 47743}},
      {"16 H100 in 2 nodes over TCP, all-gather", "nccl-tests on Google's A3 Mega (GPUDirect-TCPXO), in place", CollectiveSpan::nodes, Link::other, K::all_gather, 16, doubling(1 * KiB, 24),
       {233.3, 233.4, 235.3, 235.2, 238.5, 238.8, 239.4, 275.1, 269.9, 273.5, 314.1, 311.5, 331.3, 353.8, 405.2, 447.7, 713.8,
        1116.3, 1769.2, 2852.6, 5568.2, 10798, 21490, 42670}},
      {"16 GPUs in 2 nodes over RDMA, all-gather", "nccl-tests in Google's guide to GPUDirect RDMA on Kubernetes, in place", CollectiveSpan::nodes, Link::other, K::all_gather, 16, doubling(1 * KiB, 24),
       {55.80, 55.31, 55.38, 55.92, 57.75, 57.22, 59.20, 63.57, 63.61, 64.40, 76.66, 79.05, 81.25, 99.07, 121.7, 178.1, 277.7,
        488.8, 861.3, 1576.2, 3069.2, 6070.7, 12053, 23991}},
      {"16 H100 in 2 nodes over InfiniBand, all-reduce", "nccl-tests in Crusoe's guide to Kubernetes clusters, in place", CollectiveSpan::nodes, Link::other, K::all_reduce, 16, doubling(2 * KiB, 21),
       {57.86, 58.57, 58.58, 64.55, 78.95, 69.39, 76.66, 80.95, 83.72, 83.11, 112.6, 128.0, 214.2, 200.4, 262.0, 474.3, 745.6,
        1286.7, 2481.4, 4550.3, 9064.7}},
      {"16 MI300X in 2 nodes, all-reduce", "rccl-tests of AMD's develop branch, in place", CollectiveSpan::nodes, Link::other, K::all_reduce, 16, doubling(8 * MiB, 11),
       {220.6, 317.1, 426.7, 652.8, 1090.7, 1974.6, 3118.6, 6433.2, 12092, 23711, 47148}},
      {"16 H100 in 2 nodes over EFA, all-reduce", "nccl-tests in an AWS workshop on Slurm with p5, in place", CollectiveSpan::nodes, Link::other, K::all_reduce, 16, doubling(1 * KiB, 25),
       {69.04, 71.29, 78.55, 80.47, 82.35, 89.75, 103.8, 96.55, 104.7, 113.3, 121.3, 147.1, 167.7, 201.1, 298.3, 417.7, 604.2,
        876.8, 1452.7, 2554.9, 4565.6, 9108.5, 17343, 33628, 66109}},
      {"16 GPUs in 2 nodes of Lambda, all-reduce", "nccl-tests in dstack's guide to Lambda, NCCL 2.26, in place", CollectiveSpan::nodes, Link::other, K::all_reduce, 16, doubling(1 * KiB, 22),
       {37.98, 38.30, 39.18, 41.47, 41.94, 43.29, 43.90, 46.79, 65.36, 125.73, 115.48, 114.27, 117.11, 134.95, 184.39, 253.88, 350.71,
        595.37, 931.37, 1687.31, 2971.33, 5728.40}},
      {"16 A100 in 2 nodes over few cards, all-reduce", "nccl-tests on a university's cluster of A100 nodes with SHARP at hand, in place", CollectiveSpan::nodes, Link::other, K::all_reduce, 16, doubling(1 * KiB, 22),
       {35.66, 34.95, 34.38, 35.50, 39.44, 44.35, 50.17, 59.93, 77.77, 117.8, 174.8, 215.7, 275.3, 382.6, 548.9, 866.8, 1487.8,
        2581.4, 5194.4, 9930.5, 19335, 38163}},
      {"16 B200 in 2 nodes, all-gather", "nccl-tests in a guide to verl on Google's B200 nodes, in place", CollectiveSpan::nodes, Link::other, K::all_gather, 16, doubling(2 * KiB, 23),
       {42.42, 42.85, 44.14, 45.51, 47.57, 48.15, 50.38, 52.18, 55.29, 63.85, 79.28, 94.28, 107.1, 137.4, 154.7, 234.7, 411.0,
        762.0, 1403.5, 2749.2, 5413.8, 10736, 21381}},
      {"16 H100 in 2 nodes over TCP, all-gather, another machine", "nccl-tests in Google's Cluster Toolkit for A3 Mega, in place", CollectiveSpan::nodes, Link::other, K::all_gather, 16, doubling(4 * KiB, 22),
       {84.46, 84.08, 84.81, 95.44, 93.80, 112.25, 130.32, 127.00, 128.95, 133.81, 148.47, 161.13, 196.38, 284.11, 444.29, 790.70, 1507.46,
        2872.37, 5489.29, 10805.3, 21413.4, 42630.7}},
      {"16 H100 in 2 nodes over TCPX, all-gather", "nccl-tests on Google's A3 High (GPUDirect-TCPX), in place", CollectiveSpan::nodes, Link::other, K::all_gather, 16, doubling(1 * MiB, 9),
       {729.0, 726.7, 805.1, 817.6, 1067.8, 1211.8, 1510.5, 2312.7, 3586.2}},
  };
}

}  // namespace

std::vector<PublishedNccl> published_nccl() {
  std::vector<PublishedNccl> all = inside_a_domain();
  for (PublishedNccl& one : between_nodes()) all.push_back(std::move(one));
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
