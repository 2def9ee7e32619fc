#include "tests/differential/peer_copy_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "models/base/invariant.h"
#include "models/cost/profile_reader.h"

namespace rackwright::test {
namespace {

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

std::vector<PeerCopyRow> peer_copy_rows() {
  const cost::OperatorProfile measured = profile();
  std::vector<PeerCopyRow> rows;
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

std::string peer_copies_section() {
  std::string text =
      "\n## Transfers between two GPUs: published and measured\n\n"
      "The longest one-way transfers between two H200s (`peer_copy.csv`) beside 1 GB between two H100s (ParallelKittens).\n\n"
      "| transfer | published | measured | difference |\n|---|---:|---:|---:|\n";
  for (const PeerCopyRow& row : peer_copy_rows())
    text += fmt::format("| {} | {:.0f} GB/s | {:.0f} GB/s | {:+.1f} % |\n", row.name, row.published, row.measured, row.difference() * 100);
  return text +
         "\nPublished between two of eight devices at work in one host, ours between two that are otherwise idle; and ours take the best number of\n"
         "SMs and pieces. What a transfer costs a product beside it: docs/models/kernels.md.\n";
}

}  // namespace rackwright::test
