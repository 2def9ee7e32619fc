#include "sim/serving/speculation.h"

#include <boost/random/beta_distribution.hpp>
#include <cmath>

#include "models/base/invariant.h"

namespace rackwright::serving {

Speculation::Speculation(std::uint64_t seed, int drafted_tokens, double mean, double concentration)
    : tokens_(seed, "speculation", "token"), requests_(seed, "speculation", "request"), drafted_tokens_(drafted_tokens), mean_(mean),
      concentration_(concentration) {
  invariant(drafted_tokens >= 1 && mean >= 0 && mean <= 1 && concentration > 0, "a speculation is in range");
}

double Speculation::acceptance(std::uint64_t request) const {
  if (std::isinf(concentration_) || mean_ == 0 || mean_ == 1) return mean_;
  RandomStream stream = requests_.at(request);
  return boost::random::beta_distribution<double>(mean_ * concentration_, (1 - mean_) * concentration_)(stream);
}

std::int32_t Speculation::tokens_of_cycle(std::uint64_t request, std::int32_t emitted, double own) const {
  const double alpha = own >= 0 ? own : acceptance(request);
  std::int32_t accepted = 0;
  while (accepted < drafted_tokens_) {
    RandomStream stream = tokens_.at(request, static_cast<std::uint64_t>(emitted + accepted));
    if (stream.uniform() >= alpha) break;
    ++accepted;
  }
  return accepted + 1;
}

}  // namespace rackwright::serving
