#pragma once

#include <cstddef>
#include <cstdint>

namespace rackwright::topologies {

/// Spreads a flow's key over a choice made at one vertex, as a switch hashes the header fields with its own seed.
/// The finalizer of splitmix64 (Steele, Lea and Flood, OOPSLA 2014).
constexpr std::uint64_t flow_hash(std::uint64_t flow, std::uint64_t salt) {
  std::uint64_t z = flow + 0x9e3779b97f4a7c15u * (salt + 1);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

constexpr std::size_t hashed_choice(std::uint64_t flow, std::uint64_t salt, std::size_t choices) {
  return static_cast<std::size_t>(flow_hash(flow, salt) % choices);
}

}  // namespace rackwright::topologies
