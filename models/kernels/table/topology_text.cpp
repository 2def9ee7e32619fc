#include "models/kernels/table/topology_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace rackwright::kernels {
namespace {

std::string links(const NvlinkCount& count) {
  std::string text;
  const auto add = [&](int number, const char* where) {
    if (number > 0) text += fmt::format("{}{} NVLinks{}", text.empty() ? "" : " and ", number, where);
  };
  add(count.to_switches, " to switches");
  add(count.to_gpus, " to other GPUs");
  add(count.to_unknown, "");
  return text.empty() ? "no NVLink seen" : text;
}

}  // namespace

std::string topology_text(std::span<const NvlinkCount> gpus) {
  if (std::ranges::all_of(gpus, [&](const NvlinkCount& count) { return count == gpus.front(); }))
    return gpus.empty() ? "no GPU" : "every GPU: " + links(gpus.front());
  std::string text;
  for (std::size_t i = 0; i < gpus.size(); ++i) text += fmt::format("{}GPU {}: {}", i == 0 ? "" : "; ", i, links(gpus[i]));
  return text;
}

}  // namespace rackwright::kernels
