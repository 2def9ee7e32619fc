#include "traces/generators/gap_distribution.h"

#include <cmath>
#include <type_traits>

namespace rackwright::traces {
namespace {

/// The shape k of a Weibull law with cv² = Γ(1 + 2/k) / Γ(1 + 1/k)² − 1, which falls in k.
double weibull_shape(double cv) {
  const auto squared_cv = [](double k) { return std::exp(std::lgamma(1 + 2 / k) - 2 * std::lgamma(1 + 1 / k)) - 1; };
  double low = 0.1;
  double high = 100;
  for (int i = 0; i < 200; ++i) {
    const double middle = std::sqrt(low * high);
    (squared_cv(middle) > cv * cv ? low : high) = middle;
  }
  return std::sqrt(low * high);
}

}  // namespace

GapDistribution GapDistribution::constant(double mean_s) { return GapDistribution(Constant{mean_s}); }

GapDistribution GapDistribution::exponential(double mean_s) {
  return GapDistribution(boost::random::exponential_distribution<double>(1 / mean_s));
}

GapDistribution GapDistribution::gamma(double mean_s, double cv) {
  if (cv == 0) return constant(mean_s);
  // Shape 1/cv², scale mean·cv².
  return GapDistribution(boost::random::gamma_distribution<double>(1 / (cv * cv), mean_s * cv * cv));
}

GapDistribution GapDistribution::weibull(double mean_s, double cv) {
  const double shape = weibull_shape(cv);
  return GapDistribution(boost::random::weibull_distribution<double>(shape, mean_s / std::tgamma(1 + 1 / shape)));
}

double GapDistribution::operator()(RandomStream& draws) {
  return std::visit(
      [&draws](auto& law) {
        if constexpr (std::is_same_v<std::decay_t<decltype(law)>, Constant>) return law.mean_s;
        else return law(draws);
      },
      law_);
}

}  // namespace rackwright::traces
