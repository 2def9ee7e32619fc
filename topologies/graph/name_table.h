#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace rackwright::topologies {

/// Names of an enumeration whose values count from 0, in that order.
template <std::size_t N>
using NameTable = std::array<std::string_view, N>;

template <typename Enum, std::size_t N>
std::optional<Enum> find_name(const NameTable<N>& names, std::string_view name) {
  for (std::size_t i = 0; i < N; ++i)
    if (names[i] == name) return static_cast<Enum>(i);
  return std::nullopt;
}

}  // namespace rackwright::topologies
