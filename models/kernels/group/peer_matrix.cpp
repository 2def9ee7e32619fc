#include "models/kernels/group/peer_matrix.h"

#include <fmt/format.h>

#include "models/kernels/device/check.h"
#include "models/kernels/group/group_timing.h"
#include "models/kernels/group/landed.h"
#include "models/kernels/shapes/group_cases.h"

namespace rackwright::kernels {
namespace {

void time_copies(const DeviceGroup& group, const CopyInto& c, const std::vector<std::string>& shape, std::uint64_t seed, ProfileTable& table) {
  const int gpus = group.ranks();
  const auto sources = static_cast<std::size_t>(c.sources);
  const auto landing = [&](int place, std::size_t offset) {
    return group.side(c.target).receive + offset * sources + static_cast<std::size_t>(place) * c.bytes;
  };
  GroupCall call;
  call.enqueue = [&](int rank, std::size_t offset) {
    const GroupSide& side = group.side(rank);
    check(cudaMemcpyPeerAsync(landing(c.place_of(rank, gpus), offset), c.target, side.send + offset, rank, c.bytes, side.stream));
  };
  call.wrong = [&](int rank, std::size_t offset) {
    unsigned long long words = 0;
    if (rank != c.target) return words;
    for (int place = 0; place < c.sources; ++place)
      words += wrong_words(group, offset, {0, c.bytes / 2, 0, c.source(place, gpus), 1}, landing(place, offset), group.side(rank).stream);
    return words;
  };
  call.takes_part = [&](int rank) { return c.place_of(rank, gpus) >= 0; };
  call.bytes = c.bytes;
  call.landings = sources;
  call.mode = Mode::eager;
  call.seed = seed;
  try {
    if (c.bytes * sources > DeviceGroup::buffer_bytes) throw DeviceError("more lands there than a buffer holds");
    table.add(shape, time_group(group, call));
  } catch (const DeviceError& error) {
    table.skip(shape, name_of(call.mode), error.what());
  }
}

void time_all(const DeviceGroup& group, const std::vector<CopyInto>& cases, const GroupOptions& options, ProfileTable& table,
              const std::function<std::vector<std::string>(const CopyInto&)>& shape) {
  int index = 0;
  for (const CopyInto& c : cases)
    if (index++ % options.every == 0) time_copies(group, c, shape(c), options.seed + static_cast<std::uint64_t>(index), table);
}

std::string text(auto value) { return fmt::format("{}", value); }

}  // namespace

void measure_peer_matrix(const DeviceGroup& group, const GroupOptions& options, ProfileTable& table, const SaveTable&) {
  time_all(group, peer_matrix(group.ranks()), options, table, [](const CopyInto& c) {
    return std::vector<std::string>{"copy_engine", text(c.first_source), text(c.target), text(c.bytes)};
  });
}

void measure_fan_ins(const DeviceGroup& group, const GroupOptions& options, ProfileTable& table, const SaveTable&) {
  time_all(group, fan_ins(group.ranks()), options, table, [](const CopyInto& c) {
    return std::vector<std::string>{"copy_engine", text(c.target), text(c.sources), text(c.bytes)};
  });
}

}  // namespace rackwright::kernels
