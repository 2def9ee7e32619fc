#include "tests/differential/pair_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "models/base/invariant.h"
#include "models/cost/profile_reader.h"

namespace rackwright::test {
namespace {

struct PublishedTime {
  const char* size;
  double bytes;
  double us;
};
constexpr std::array two_h100{PublishedTime{"1 KiB", 1024, 5.9},          PublishedTime{"8 KiB", 8192, 6.8},
                              PublishedTime{"64 KiB", 65536, 7.3},        PublishedTime{"512 KiB", 524288, 10.7},
                              PublishedTime{"2 MiB", 2097152, 27.9},      PublishedTime{"8 MiB", 8388608, 47.3},
                              PublishedTime{"32 MiB", 33554432, 143.6},   PublishedTime{"128 MiB", 134217728, 466.2},
                              PublishedTime{"256 MiB", 268435456, 881.3}, PublishedTime{"512 MiB", 536870912, 1686.4}};

struct PublishedCopy {
  const char* name;
  cost::TransferMechanism mechanism;
  double gb_per_s;
};
constexpr std::array one_gb{PublishedCopy{"copy engine", cost::TransferMechanism::copy_engine, 368.82},
                            PublishedCopy{"bulk asynchronous copies (TMA)", cost::TransferMechanism::tma, 350.01},
                            PublishedCopy{"stores of registers", cost::TransferMechanism::sm_stores, 342.68}};

cost::OperatorProfile profile() {
  Diagnostics findings;
  auto read = cost::read_profile(std::filesystem::path(RACKWRIGHT_SOURCE_DIR) / "models/kernels/profiles/nvidia-h200", findings);
  invariant(!findings.has_errors(), "the committed profile is whole");
  return read;
}

}  // namespace

std::vector<PairRow> pair_all_reduces() {
  const cost::OperatorProfile measured = profile();
  llm::Operator op;
  op.kind = llm::OperatorKind::all_reduce;
  op.ranks = 2;
  std::vector<PairRow> rows;
  for (const PublishedTime& published : two_h100) {
    op.message_bytes = published.bytes;
    const cost::ProfilePlace place = cost::place_of(op);
    const auto found = std::ranges::find_if(
        measured.points, [&](const cost::ProfilePoint& point) { return point.place.key == place.key && point.place.at == place.at; });
    invariant(found != measured.points.end(), "the profile has all-reduces of this size");
    rows.push_back({published.size, found->seconds * 1e6, published.us});
  }
  return rows;
}

std::vector<PairRow> pair_copies() {
  const cost::OperatorProfile measured = profile();
  std::vector<PairRow> rows;
  for (const PublishedCopy& published : one_gb) {
    double best = 0;
    for (const cost::TransferSeries& series : measured.transfers) {
      if (series.mechanism != published.mechanism) continue;
      const auto longest = std::ranges::max_element(series.points, {}, &cost::TransferPoint::bytes);
      best = std::max(best, longest->bytes / longest->seconds * 1e-9);
    }
    rows.push_back({published.name, best, published.gb_per_s});
  }
  return rows;
}

std::string pair_rows_page() {
  std::string text =
      "\n## Two H200s measured, two H100s published\n\n"
      "The links of both are the same, so their tables should be. NCCL 2.28's all-reduce from a CUDA graph (`collective.2gpus.csv`) against\n"
      "AIConfigurator's NCCL tests; the longest one-way transfers (`peer_copy.csv`) against 1 GB in ParallelKittens.\n\n"
      "| all-reduce | two H200s | two H100s | difference |\n|---|---:|---:|---:|\n";
  for (const PairRow& row : pair_all_reduces())
    text += fmt::format("| {} | {:.1f} us | {:.1f} us | {:+.1f} % |\n", row.name, row.measured, row.published, row.difference() * 100);
  text += "\n| transfer | two H200s | two H100s | difference |\n|---|---:|---:|---:|\n";
  for (const PairRow& row : pair_copies())
    text += fmt::format("| {} | {:.0f} GB/s | {:.0f} GB/s | {:+.1f} % |\n", row.name, row.measured, row.published, row.difference() * 100);
  return text +
         "\nDifferences explained. All-reduce: the graph of ours leaves out the launch that small messages of the published series carry, and both\n"
         "change protocol between 1 and 2 MiB. Transfers: published between two of eight devices at work in one host, ours between two that are\n"
         "otherwise idle; and ours take the best number of SMs and pieces. What a transfer costs a product beside it: docs/models/kernels.md.\n";
}

}  // namespace rackwright::test
