#pragma once

#include <span>
#include <string>

namespace rackwright::kernels {

/// Active NVLinks of one GPU, by what is at their other end.
struct NvlinkCount {
  int to_switches = 0;
  int to_gpus = 0;
  int to_unknown = 0;
  bool operator==(const NvlinkCount&) const = default;
};

/// The `topology` line of a profile's header: "every GPU: 18 NVLinks to switches", or one entry per GPU where they differ.
std::string topology_text(std::span<const NvlinkCount> gpus);

}  // namespace rackwright::kernels
