#include "models/base/random.h"

#include "models/base/hash.h"

namespace rackwright {
namespace {

/// The output function of splitmix64 (Steele, Lea, Flood 2014).
std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

constexpr std::uint64_t golden_gamma = 0x9e3779b97f4a7c15u;

}  // namespace

RandomStream::RandomStream(std::uint64_t seed, std::string_view component, std::string_view purpose)
    : RandomStream(hash64(purpose, hash64(component, mix(seed + golden_gamma)))) {}

RandomStream RandomStream::at(std::uint64_t first, std::uint64_t second) const {
  return RandomStream(mix(mix(key_ + golden_gamma * (first + 1)) + golden_gamma * (second + 1)));
}

RandomStream::result_type RandomStream::operator()() {
  state_ += golden_gamma;
  return mix(state_);
}

double RandomStream::uniform() { return static_cast<double>((*this)() >> 11) * 0x1.0p-53; }

}  // namespace rackwright
