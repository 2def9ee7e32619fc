#include "traces/generators/arrival_process.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "traces/generators/gap_distribution.h"

namespace rackwright::traces {

/// The time until the next arrival under a steady load.
class ArrivalProcess::Gaps {
 public:
  virtual ~Gaps() = default;
  virtual double next(RandomStream& draws) = 0;
};

class ArrivalProcess::Renewal final : public Gaps {
 public:
  explicit Renewal(GapDistribution gap) : gap_(gap) {}
  double next(RandomStream& draws) override { return gap_(draws); }

 private:
  GapDistribution gap_;
};

/// Inside a burst arrivals come at rate · (on + off) / on, so that the mean over all time is the rate.
class ArrivalProcess::OnOff final : public Gaps {
 public:
  OnOff(double rate_per_s, const ArrivalSpec::Bursts& bursts)
      : on_(GapDistribution::gamma(bursts.on_s, bursts.on_cv)),
        off_(GapDistribution::gamma(bursts.off_s, bursts.off_cv)),
        gap_(GapDistribution::gamma(bursts.on_s / (rate_per_s * (bursts.on_s + bursts.off_s)), bursts.gap_cv)) {}

  double next(RandomStream& draws) override {
    double waited = 0;
    for (;;) {
      const double gap = gap_(draws);
      if (gap <= left_s_) {
        left_s_ -= gap;
        return waited + gap;
      }
      // The burst ends; its gaps start anew with the next one.
      waited += left_s_ + off_(draws);
      left_s_ = on_(draws);
    }
  }

 private:
  GapDistribution on_;
  GapDistribution off_;
  GapDistribution gap_;
  double left_s_ = 0;  ///< Of the current burst.
};

/// Turns time under a steady load into time under a profile: d(steady) = factor(t) dt.
class ArrivalProcess::Warp {
 public:
  explicit Warp(const RateProfile& profile) : slot_s_(profile.slot_s), factors_(profile.factors) {
    const double mean = std::accumulate(factors_.begin(), factors_.end(), 0.0) / static_cast<double>(factors_.size());
    for (double& factor : factors_) factor /= mean;
    left_s_ = slot_s_;
  }

  /// How long `steady_s` takes from where the last call ended.
  double advance(double steady_s) {
    double real_s = 0;
    while (steady_s > factors_[slot_] * left_s_) {
      steady_s -= factors_[slot_] * left_s_;
      real_s += left_s_;
      slot_ = (slot_ + 1) % factors_.size();
      left_s_ = slot_s_;
      if (real_s > sim_end_s) return real_s;
    }
    if (factors_[slot_] == 0) return real_s;
    const double rest = steady_s / factors_[slot_];
    left_s_ = std::max(0.0, left_s_ - rest);
    return real_s + rest;
  }

 private:
  static constexpr double sim_end_s = 1e7;

  double slot_s_;
  std::vector<double> factors_;
  std::size_t slot_ = 0;
  double left_s_ = 0;  ///< Of the current slot.
};

ArrivalProcess::ArrivalProcess(const ArrivalSpec& arrivals, const RateProfile& profile, RandomStream draws) : draws_(draws) {
  const double mean_s = 1 / arrivals.rate_per_s;
  const auto renewal = [&](GapDistribution gap) { gaps_ = std::make_unique<Renewal>(gap); };
  switch (arrivals.kind) {
    case ArrivalSpec::Kind::constant: renewal(GapDistribution::constant(mean_s)); break;
    case ArrivalSpec::Kind::poisson: renewal(GapDistribution::exponential(mean_s)); break;
    case ArrivalSpec::Kind::gamma: renewal(GapDistribution::gamma(mean_s, arrivals.cv)); break;
    case ArrivalSpec::Kind::weibull: renewal(GapDistribution::weibull(mean_s, arrivals.cv)); break;
    case ArrivalSpec::Kind::on_off: gaps_ = std::make_unique<OnOff>(arrivals.rate_per_s, arrivals.bursts); break;
  }
  if (!profile.factors.empty()) warp_ = std::make_unique<Warp>(profile);
}

ArrivalProcess::~ArrivalProcess() = default;

SimTime ArrivalProcess::next() {
  const double steady_s = gaps_->next(draws_);
  const SimTime gap = sim_time(warp_ ? warp_->advance(steady_s) : steady_s);
  now_ = gap > SimTime::max() - now_ ? SimTime::max() : now_ + gap;
  return now_;
}

}  // namespace rackwright::traces
