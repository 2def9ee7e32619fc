#include "sim/metrics/run_log.h"

#include <algorithm>

namespace rackwright::metrics {

RunLog::RunLog(results::RunFolderWriter& writer, const results::RunDescription& run, const RunLayout& layout)
    : writer_(writer), layout_(layout), instances_(layout.instances.size()), station_devices_(layout.station_devices.size()) {
  for (const results::PoolDescription& pool : run.pools) instances_of_pool_.push_back(std::max(1u, pool.instances));
  for (const std::int64_t mw : layout.rack_base_power_mw) base_power_mw_ += mw;
}

void RunLog::on_request(const RequestOutcome& request) {
  ++requests_done_;
  output_tokens_ += request.output_tokens;
  writer_.add(request);
}

void RunLog::on_stretch(const Stretch& stretch) {
  if (stretch.end >= next_sample_) take_sample(stretch.end);
  InstanceState& instance = instances_[stretch.instance];
  instance.sequences = stretch.decode_sequences + stretch.prefill_sequences;
  instance.waiting = stretch.waiting;
  if (stretch.kv_blocks > 0) {
    instance.kv_fraction = static_cast<double>(stretch.kv_blocks_used) / static_cast<double>(stretch.kv_blocks);
  }
  instance.power_mw = stretch.cost.power_mw;
  instance.until = stretch.end;
}

void RunLog::on_station_use(const StationUse& use) {
  if (use.end >= next_sample_) take_sample(use.end);
  station_devices_[use.device].power_mw = use.power_mw;
  station_devices_[use.device].until = use.end;
}

void RunLog::take_sample(SimTime at) {
  results::LiveSample sample{at, requests_done_, output_tokens_, 0, {}};
  sample.pools.resize(instances_of_pool_.size());
  std::int64_t power_mw = base_power_mw_;
  for (std::size_t i = 0; i < instances_.size(); ++i) {
    const InstanceState& instance = instances_[i];
    const InstanceLayout& layout = layout_.instances[i];
    const bool idle = at - instance.until > period_;
    power_mw += idle ? layout.idle_power_mw : std::max(instance.power_mw, layout.idle_power_mw);
    if (idle) continue;
    results::PoolSample& pool = sample.pools[layout.pool];
    pool.batch += instance.sequences;
    pool.waiting += instance.waiting;
    pool.kv_fraction += instance.kv_fraction / instances_of_pool_[layout.pool];
  }
  for (std::size_t i = 0; i < station_devices_.size(); ++i) {
    const bool idle = at - station_devices_[i].until > period_;
    power_mw += idle ? layout_.station_devices[i].idle_power_mw : std::max(station_devices_[i].power_mw, layout_.station_devices[i].idle_power_mw);
  }
  if (layout_.power_is_known) sample.it_power_w = static_cast<double>(power_mw) / 1e3;
  writer_.add(sample);
  if (++samples_in_period_ == samples_per_period) {
    samples_in_period_ = 0;
    period_ += period_;
  }
  next_sample_ = at + period_;
}

}  // namespace rackwright::metrics
