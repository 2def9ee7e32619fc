#include "tests/differential/measured_collectives_page.h"

#include <fmt/format.h>

#include <set>

#include "models/base/invariant.h"
#include "models/cost/csv_table.h"
#include "models/cost/measured_collectives.h"
#include "models/cost/profile_reader.h"
#include "tests/differential/network_rows.h"
#include "tests/differential/published_nccl.h"

namespace rackwright::test {
namespace {

constexpr double longest = 1 << 30;

/// Seconds by a table of exactly this operation, number of ranks and range of sizes; 0 without one.
double measured_s(const cost::MeasuredCollectives& collectives, llm::OperatorKind kind, int ranks, double bytes) {
  llm::Operator op;
  op.kind = kind;
  op.ranks = ranks;
  op.message_bytes = bytes;
  const auto time = collectives.time(op);
  return time && time->provenance == cost::Provenance::measured ? time->seconds : 0;
}

/// How much of a buffer each link carries.
double share_of_buffer(llm::OperatorKind kind, int ranks) {
  return (kind == llm::OperatorKind::all_reduce ? 2.0 : 1.0) * (ranks - 1) / ranks;
}

std::string series_table(const PublishedNccl& published, const cost::MeasuredCollectives& collectives) {
  std::string rows;
  for (std::size_t i = 0; i < published.us.size(); ++i) {
    const double us = measured_s(collectives, published.kind, published.ranks, published.bytes[i]) * 1e6;
    if (us > 0)
      rows += fmt::format("| {} | {:.1f} us | {:.1f} us | {:+.1f} % |\n", size_label(published.bytes[i]), published.us[i], us,
                          (us / published.us[i] - 1) * 100);
  }
  if (rows.empty()) return {};
  return fmt::format("\n## {}: published and measured\n\n{}.\n\n| size | published | measured | difference |\n|---|---:|---:|---:|\n{}", published.title,
                     published.source, rows);
}

std::string bandwidth_table(const cost::MeasuredCollectives& collectives) {
  std::string rows;
  for (const PublishedBandwidth& published : published_bus_bandwidths()) {
    const double seconds = measured_s(collectives, published.kind, published.ranks, longest);
    if (!(seconds > 0)) continue;
    const double rate = share_of_buffer(published.kind, published.ranks) * longest / seconds;
    rows += fmt::format("| {} | {:.0f} GB/s | {:.0f} GB/s | {:+.1f} % |\n", published.title, published.bytes_per_s * 1e-9, rate * 1e-9,
                        (rate / published.bytes_per_s - 1) * 100);
  }
  if (rows.empty()) return {};
  return "\n## Bus bandwidth: published and measured\n\nPublished of 8 GiB without sums in the switches (stas00/ml-engineering), measured of 1 GiB.\n\n"
         "| collective | published | measured | difference |\n|---|---:|---:|---:|\n" + rows;
}

/// The files of collectives in a folder, each with what its header says of the machine.
std::string sources(const std::filesystem::path& folder) {
  std::set<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().filename().string().starts_with("collective.") && entry.path().extension() == ".csv") files.insert(entry.path());
  std::string text;
  for (const auto& file : files) {
    Diagnostics findings;
    const cost::CsvTable table = cost::CsvTable::read(file, findings);
    const auto said = [&](const char* key) { return table.header(key).empty() ? "not recorded" : table.header(key); };
    text += fmt::format("- `{}`: {} × {}, {}; NCCL {}; sums in the switches (NVLS): {}; {}.\n", file.filename().string(), said("gpus"), said("device"),
                        said("topology") == "not recorded" ? "links not recorded" : said("topology"), said("nccl"), said("nvls"), said("date"));
  }
  return text;
}

}  // namespace

std::filesystem::path committed_h200_profile() { return std::filesystem::path(RACKWRIGHT_SOURCE_DIR) / "models/kernels/profiles/nvidia-h200"; }

std::string measured_collectives_section(const std::filesystem::path& folder) {
  Diagnostics findings;
  const cost::OperatorProfile profile = cost::read_profile(folder, findings);
  invariant(!findings.has_errors(), "the profile is whole");
  const cost::MeasuredCollectives collectives(profile.points);
  std::string page =
      "\n# Collectives that were measured here against published times\n\n"
      "NCCL's from a CUDA graph, as the simulator takes them, beside what others published of as many H100 or H200, whose links are the\n"
      "same. A number of GPUs that was not measured has no table. No model stands between the two columns. Ours leave out the launch that small\n"
      "messages of the published series carry.\n\n";
  page += sources(folder);
  for (const PublishedNccl& published : published_nccl())
    if (published.link == PublishedNccl::Link::nvlink4) page += series_table(published, collectives);
  return page + bandwidth_table(collectives);
}

}  // namespace rackwright::test
