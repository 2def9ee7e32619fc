#pragma once

#include <optional>
#include <vector>

#include "scenarios/results/timeline.h"
#include "sim/fabric/device_fabric.h"

namespace rackwright::run {

/// What each kind of link carried over time, in bins of a given length, or in those that double from a second until at most 2000
/// are needed. What a transfer carried counts evenly between its start and its end.
class NetworkLoads final : public fabric::TrafficWatcher {
 public:
  NetworkLoads(std::size_t link_classes, std::optional<double> period_s)
      : has_fixed_period_(period_s.has_value()), period_s_(period_s.value_or(1)), bytes_(link_classes) {}

  void on_traffic(std::size_t link_class, double bytes, SimTime from, SimTime to) override;

  /// Adds a column for each class that carried anything, in the bins of the timeline: "network.nic.utilization", of what all
  /// its links together could carry, both directions. `classes` as `DeviceFabric::loads()` has them.
  void add_to(results::Timeline& timeline, const std::vector<fabric::LinkClassLoad>& classes) const;

 private:
  static constexpr std::size_t most_bins = 2'000;

  void double_period();

  bool has_fixed_period_;
  double period_s_;
  std::vector<std::vector<double>> bytes_;  ///< By class and bin.
};

}  // namespace rackwright::run
