#pragma once

#include <boost/random/exponential_distribution.hpp>
#include <boost/random/gamma_distribution.hpp>
#include <boost/random/weibull_distribution.hpp>
#include <variant>

#include "models/base/random.h"

namespace rackwright::traces {

/// Positive lengths of time with a given mean and coefficient of variation.
class GapDistribution {
 public:
  static GapDistribution constant(double mean_s);
  static GapDistribution exponential(double mean_s);
  /// Constant for a `cv` of 0.
  static GapDistribution gamma(double mean_s, double cv);
  /// `cv` in [0.05, 20]: shape 26 to 0.21.
  static GapDistribution weibull(double mean_s, double cv);

  double operator()(RandomStream& draws);

 private:
  struct Constant { double mean_s; };
  using Law = std::variant<Constant, boost::random::exponential_distribution<double>, boost::random::gamma_distribution<double>,
                           boost::random::weibull_distribution<double>>;
  explicit GapDistribution(Law law) : law_(law) {}

  Law law_;
};

}  // namespace rackwright::traces
