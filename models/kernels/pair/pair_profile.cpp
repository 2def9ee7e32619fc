#include "models/kernels/pair/pair_profile.h"

#include <algorithm>
#include <cstdio>
#include <functional>

#include "models/kernels/device/check.h"
#include "models/kernels/device/device_facts.h"
#include "models/kernels/pair/collectives.h"
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
    void (*measure)(const DevicePair&, const PairOptions&, ProfileTable&, const std::function<void()>& save);
  };
  const Part parts[] = {{"collective", {"impl", "op", "gpus", "bytes"}, measure_collectives},
                        {"peer_copy", {"mechanism", "direction", "sms", "chunk_bytes", "bytes"}, measure_peer_copies},
                        {"peer_overlap", {"mechanism", "sms", "type", "m", "n", "k"}, measure_peer_overlap}};
  for (const Part& part : parts) {
    if (!wanted(part.name)) continue;
    ProfileTable table(part.name, part.columns);
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
