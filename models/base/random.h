#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

namespace rackwright {

/// A stream of random bits that depends only on its key, never on who drew before it.
///
/// Meets std::uniform_random_bit_generator (splitmix64). Use it with Boost.Random's
/// distributions, whose algorithms are fixed, not with those of <random>, which differ
/// between standard libraries.
class RandomStream {
 public:
  using result_type = std::uint64_t;

  /// Keyed by the run's seed, the component's path ("pools/chat/0") and the purpose ("acceptance").
  RandomStream(std::uint64_t seed, std::string_view component, std::string_view purpose);

  /// The stream of one (request, token) or any other pair inside this one's key; draws nothing.
  RandomStream at(std::uint64_t first, std::uint64_t second = 0) const;

  result_type operator()();
  /// Uniform in [0, 1) with 53 bits.
  double uniform();

  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }

 private:
  explicit RandomStream(std::uint64_t state) : key_(state), state_(state) {}

  std::uint64_t key_;
  std::uint64_t state_;
};

}  // namespace rackwright
