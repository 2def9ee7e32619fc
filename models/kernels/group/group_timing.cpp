#include "models/kernels/group/group_timing.h"

#include <fmt/format.h>

#include <algorithm>
#include <barrier>
#include <chrono>
#include <cmath>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "models/base/invariant.h"
#include "models/kernels/device/check.h"
#include "models/kernels/measure/graph.h"

namespace rackwright::kernels {
namespace {

std::size_t at(int rank) { return static_cast<std::size_t>(rank); }

constexpr int repetitions = 20;
constexpr double repetition_target_us = 400;
constexpr int inner_max = 32;
constexpr double rest_per_busy = 2;
constexpr std::size_t stride_unit = 1024;

class GroupTiming {
 public:
  GroupTiming(const DeviceGroup& group, const GroupCall& call)
      : group_(group),
        call_(call),
        stride_((call.bytes + stride_unit - 1) / stride_unit * stride_unit),
        slots_(std::max<std::size_t>(DeviceGroup::buffer_bytes / (stride_ * call.landings), 1)),
        first_turn_(group.gate().turn()),
        meet_(group.ranks()),
        once_us_(at(group.ranks())),
        us_(at(group.ranks())) {
    invariant(stride_ * call.landings <= DeviceGroup::buffer_bytes, "what lands in a buffer fits there");
  }

  TimedResult result() {
    group_.on_all([&](int rank) {
      try {
        measure(rank);
      } catch (...) {
        meet_.arrive_and_drop();  // The others must not wait for this one.
        throw;
      }
    });
    std::vector<double> slowest(repetitions);
    for (std::size_t r = 0; r < slowest.size(); ++r)
      for (const auto& of_rank : us_)
        if (!of_rank.empty()) slowest[r] = std::max(slowest[r], of_rank[r]);
    return {name_of(call_.mode), spread_of(slowest), repetitions, inner_, 0};
  }

 private:
  /// What one rank does; its device is current.
  void measure(int rank) {
    const GroupSide& side = group_.side(rank);
    const bool active = call_.takes_part(rank);
    unsigned turn = first_turn_;
    std::uint64_t seed = call_.seed * 1024;
    require_correct(rank, 0, ++seed);
    for (int i = 0; i < 3; ++i) once_us_[at(rank)] = repetition(rank, ++turn, [&] { call_.enqueue(rank, 0); });
    meet();
    if (rank == 0) choose_inner();
    meet();
    const auto calls = [&] {
      for (int i = 0; i < inner_; ++i) call_.enqueue(rank, static_cast<std::size_t>(i) % slots_ * stride_);
    };
    std::unique_ptr<Graph> graph;
    together([&] {
      if (call_.mode == Mode::graph && active) graph = std::make_unique<Graph>(side.stream, calls);
    });
    const auto launch_all = [&] {
      if (graph) graph->launch(side.stream);
      else calls();
    };
    // Outside of a turn: the first launch of a graph takes its host longer.
    if (active) launch_all();
    together([&] { check(cudaStreamSynchronize(side.stream)); });
    for (int r = 0; r < repetitions; ++r) {
      draw(side, ++seed);
      const double all_us = repetition(rank, ++turn, launch_all);
      if (active) us_[at(rank)].push_back(all_us / inner_);
      std::this_thread::sleep_for(std::chrono::duration<double, std::micro>(rest_per_busy * all_us));
    }
    require_correct(rank, (at(inner_) - 1) % slots_ * stride_, ++seed);
  }

  /// Microseconds from the common start to the end of this rank's part; 0 for a rank without one.
  double repetition(int rank, unsigned turn, const std::function<void()>& launch_all) {
    const GroupSide& side = group_.side(rank);
    const bool active = call_.takes_part(rank);
    meet();
    together([&] {
      if (!active) return;
      group_.gate().hold(side.stream, turn);
      check(cudaEventRecord(side.begin, side.stream));
      launch_all();
      check(cudaEventRecord(side.end, side.stream));
    });
    if (rank == 0) group_.gate().open(turn);
    check(cudaStreamSynchronize(side.stream));
    float ms = 0;
    if (active) check(cudaEventElapsedTime(&ms, side.begin, side.end));
    meet();
    return 1e3 * ms;
  }

  void require_correct(int rank, std::size_t offset, std::uint64_t seed) {
    const GroupSide& side = group_.side(rank);
    together([&] { draw(side, seed); });
    together([&] {
      if (call_.takes_part(rank)) call_.enqueue(rank, offset);
    });
    together([&] { check(cudaStreamSynchronize(side.stream)); });
    together([&] {
      if (const unsigned long long wrong = call_.wrong(rank, offset); wrong > 0)
        throw DeviceError(fmt::format("wrong result: {} words differ on rank {}", wrong, rank));
    });
  }

  /// In the parts of the buffers that a repetition uses.
  void draw(const GroupSide& side, std::uint64_t seed) const {
    const std::size_t used = std::min(slots_, at(inner_)) * stride_;
    refresh(side, used, used * call_.landings, seed);
  }

  void choose_inner() {
    const double once_us = *std::ranges::max_element(once_us_);
    inner_ = std::clamp(static_cast<int>(std::ceil(repetition_target_us / once_us)), 1, inner_max);
  }

  void meet() { meet_.arrive_and_wait(); }

  /// Either every rank goes on or none does: a collective that one rank left would never end on the others.
  void together(const std::function<void()>& work) {
    try {
      work();
    } catch (const DeviceError& error) {
      const std::scoped_lock lock(failing_);
      if (failure_.empty()) failure_ = error.what();
    }
    meet();
    if (!failure_.empty()) throw DeviceError(failure_);
  }

  const DeviceGroup& group_;
  const GroupCall& call_;
  std::size_t stride_;
  std::size_t slots_;  ///< Parts of the buffers that calls take in turn.
  unsigned first_turn_;
  std::barrier<> meet_;
  std::vector<double> once_us_;
  std::vector<std::vector<double>> us_;
  int inner_ = 1;
  std::mutex failing_;
  std::string failure_;  ///< Written before a meeting, read after it.
};

}  // namespace

TimedResult time_group(const DeviceGroup& group, const GroupCall& call) { return GroupTiming(group, call).result(); }

}  // namespace rackwright::kernels
