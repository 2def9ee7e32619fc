#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scenarios/plots/plot.h"
#include "scenarios/results/live_sample.h"
#include "scenarios/results/request_outcome.h"
#include "scenarios/results/run_description.h"

namespace rackwright::gui {

/// What the stream of a run shows while the run goes on, in a bounded number of bins: when there are too many, two
/// become one. Percentiles are exact within a bin.
class LiveSeries {
 public:
  static constexpr std::size_t mostBins = 240;

  explicit LiveSeries(const results::RunDescription& run);

  void add(std::span<const results::RequestOutcome> requests);
  void add(const results::LiveSample& sample);

  std::int64_t requests() const { return requests_; }
  double now_s() const { return now_s_; }
  /// Throughput, TTFT and TPOT percentiles, queue, batch, KV use and power; those that have values.
  std::vector<plots::Plot> plots() const;

 private:
  struct PoolMeans {
    double batch = 0;
    double waiting = 0;
    double kv = 0;
  };
  struct Bin {
    double from_s = 0;
    double to_s = 0;
    std::int64_t requests = 0;
    std::int64_t outputTokens = 0;
    int samples = 0;
    double power_w = 0;            ///< Summed over samples, as the pools are.
    std::vector<PoolMeans> pools;
    std::vector<float> ttft_s;
    std::vector<float> tpot_s;
  };

  void close(const results::LiveSample& sample);
  void halve();

  std::vector<std::string> pools_;
  std::vector<Bin> bins_;
  Bin open_;  ///< What has come since the last bin was closed.
  double binLength_s_ = 0;
  std::int64_t requests_ = 0;
  double now_s_ = 0;
};

}  // namespace rackwright::gui
