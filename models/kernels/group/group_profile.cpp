#include "models/kernels/group/group_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "models/kernels/device/check.h"
#include "models/kernels/device/device_facts.h"
#include "models/kernels/group/collectives.h"
#include "models/kernels/group/peer_matrix.h"
#include "models/kernels/pair/pair_steps.h"
#include "models/kernels/pair/peer_families.h"
#include "models/kernels/table/topology_text.h"

namespace rackwright::kernels {
namespace {

using Columns = std::vector<std::string>;

struct Part {
  const char* name;
  Columns columns;
  ProfileTable (*table)(std::string family, Columns columns);
  void (*measure)(const DeviceGroup&, const GroupOptions&, ProfileTable&, const SaveTable&);
};

ProfileTable timed(std::string family, Columns columns) { return {std::move(family), std::move(columns)}; }

/// In-fabric sums and multicast stay off unless the environment asks for them: a program that uses them and fails may leave
/// the machine's switches unusable.
std::string choose_in_fabric_sums() {
  setenv("NCCL_NVLS_ENABLE", "0", 0);
  return std::string_view(std::getenv("NCCL_NVLS_ENABLE")) == "0" ? "off" : "on";
}

ProfileHeader header_of(const DeviceFacts& facts, std::uint64_t seed) {
  const Nvml nvml(facts.pci_bus_id);
  ProfileHeader header = profile_header(facts, nvml, seed);
  std::vector<NvlinkCount> links;
  for (int device = 0; device < facts.gpus; ++device) links.push_back(Nvml(device_facts(device).pci_bus_id).nvlinks());
  header.emplace_back("topology", topology_text(links));
  header.emplace_back("nvls", choose_in_fabric_sums());
  return header;
}

/// `suffix` follows the names of the families.
void measure_parts(const DeviceGroup& group, std::span<const Part> parts, const std::string& suffix, const GroupOptions& options) {
  const ProfileHeader header = header_of(device_facts(0), options.seed);
  for (const Part& part : parts) {
    if (!options.only.empty() && std::ranges::find(options.only, part.name) == options.only.end()) continue;
    const auto start = std::chrono::steady_clock::now();
    ProfileTable table = part.table(part.name + suffix, part.columns);
    const auto save = [&] {
      if (table.size() > 0) table.write(options.out, header);
    };
    try {
      part.measure(group, options, table, save);
    } catch (const DeviceError&) {
      save();
      throw;
    }
    save();
    std::printf("%-24s %5zu rows  %6.1f s\n", table.family().c_str(), table.size(),
                std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    std::fflush(stdout);
  }
}

}  // namespace

void profile_pair(const GroupOptions& options) {
  const Part parts[] = {{"peer_copy", {"mechanism", "direction", "sms", "chunk_bytes", "bytes"}, timed, measure_peer_copies},
                        {"peer_overlap", {"mechanism", "sms", "type", "m", "n", "k"}, timed, measure_peer_overlap},
                        {"pair_step", {"model", "decode", "context", "prefill", "past", "layers"}, timed, measure_pair_steps},
                        {"pair_power", {"model", "decode", "context", "prefill", "past", "layers", "rank", "us_per_step", "sm_mhz", "mean_w",
                                        "window_s", "temperature_c"}, ProfileTable::untimed, measure_pair_power}};
  measure_parts(DeviceGroup(2), parts, "", options);
}

void profile_group(const GroupOptions& options) {
  const Part parts[] = {{"collective", {"impl", "op", "gpus", "bytes"}, timed, measure_collectives},
                        {"peer_matrix", {"mechanism", "from", "to", "bytes"}, timed, measure_peer_matrix},
                        {"fan_in", {"mechanism", "target", "sources", "bytes"}, timed, measure_fan_ins}};
  const DeviceGroup group(DeviceGroup::devices());
  measure_parts(group, parts, fmt::format(".{}gpus", group.ranks()), options);
}

}  // namespace rackwright::kernels
