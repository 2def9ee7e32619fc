#include "models/kernels/pair/pair_profile.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <utility>

#include "models/kernels/device/check.h"
#include "models/kernels/device/device_facts.h"
#include "models/kernels/pair/collectives.h"
#include "models/kernels/pair/pair_steps.h"
#include "models/kernels/pair/peer_families.h"

namespace rackwright::kernels {

void profile_pair(const PairOptions& options) {
  const DeviceFacts facts = device_facts(0);
  const Nvml nvml(facts.pci_bus_id);
  const ProfileHeader header = profile_header(facts, nvml, options.seed);
  const DevicePair pair;
  const auto wanted = [&](const std::string& part) {
    return options.only.empty() || std::find(options.only.begin(), options.only.end(), part) != options.only.end();
  };
  struct Part {
    const char* name;
    std::vector<std::string> columns;
    ProfileTable (*table)(std::string family, std::vector<std::string> columns);
    void (*measure)(const DevicePair&, const PairOptions&, ProfileTable&, const std::function<void()>& save);
  };
  const auto timed = [](std::string family, std::vector<std::string> columns) { return ProfileTable(std::move(family), std::move(columns)); };
  const Part parts[] = {{"collective", {"impl", "op", "gpus", "bytes"}, timed, measure_collectives},
                        {"peer_copy", {"mechanism", "direction", "sms", "chunk_bytes", "bytes"}, timed, measure_peer_copies},
                        {"peer_overlap", {"mechanism", "sms", "type", "m", "n", "k"}, timed, measure_peer_overlap},
                        {"pair_step", {"model", "decode", "context", "prefill", "past", "layers"}, timed, measure_pair_steps},
                        {"pair_power", {"model", "decode", "context", "prefill", "past", "layers", "rank", "us_per_step", "sm_mhz", "mean_w",
                                        "window_s", "temperature_c"}, ProfileTable::untimed, measure_pair_power}};
  for (const Part& part : parts) {
    if (!wanted(part.name)) continue;
    ProfileTable table = part.table(part.name, part.columns);
    const auto save = [&] { table.write(options.out, header); };
    try {
      part.measure(pair, options, table, save);
    } catch (const DeviceError&) {
      save();
      throw;
    }
    save();
    std::printf("%-24s %5zu rows\n", part.name, table.size());
    std::fflush(stdout);
  }
}

}  // namespace rackwright::kernels
