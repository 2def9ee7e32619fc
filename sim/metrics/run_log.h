#pragma once

#include <cstdint>
#include <vector>

#include "scenarios/results/run_folder.h"
#include "sim/metrics/run_layout.h"
#include "sim/metrics/run_observer.h"

namespace rackwright::metrics {

/// Streams a run into its folder while it goes on: each request as it leaves, and every so often a
/// sample of what can be seen from outside.
///
/// Samples come every second of simulated time at first; after each `samples_per_period` of them the
/// period doubles, so that a long run has a few thousand. A sample shows each instance as its last
/// reported stretch left it, so jumping over quiet stretches shows in samples, and in nothing else.
class RunLog final : public RunObserver {
 public:
  static constexpr int samples_per_period = 500;

  RunLog(results::RunFolderWriter& writer, const results::RunDescription& run, const RunLayout& layout);

  void on_request(const RequestOutcome& request) override;
  void on_stretch(const Stretch& stretch) override;
  void on_station_use(const StationUse& use) override;

 private:
  struct InstanceState {
    std::int64_t sequences = 0;
    std::int64_t waiting = 0;
    double kv_fraction = 0;
    std::int64_t power_mw = 0;
    SimTime until;  ///< End of the last stretch; idle after it.
  };

  void take_sample(SimTime at);

  results::RunFolderWriter& writer_;
  const RunLayout layout_;
  std::vector<std::uint32_t> instances_of_pool_;
  std::int64_t base_power_mw_ = 0;
  std::vector<InstanceState> instances_;
  std::vector<InstanceState> station_devices_;
  std::int64_t requests_done_ = 0;
  std::int64_t output_tokens_ = 0;
  SimTime period_ = sim_time(1);
  SimTime next_sample_ = sim_time(1);
  int samples_in_period_ = 0;
};

}  // namespace rackwright::metrics
