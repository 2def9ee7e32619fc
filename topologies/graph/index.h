#pragma once

#include <compare>
#include <cstdint>

namespace rackwright::topologies {

/// Position in Topology::vertices().
struct VertexIndex {
  std::uint32_t value = 0;
  auto operator<=>(const VertexIndex&) const = default;
};

/// Position in Topology::links(). A cable is the pair (2n, 2n + 1), one link for each direction.
struct LinkIndex {
  std::uint32_t value = 0;
  auto operator<=>(const LinkIndex&) const = default;
};

/// Position in Topology::domains(), or `no_domain`.
struct DomainIndex {
  std::uint32_t value = 0xffffffffu;
  auto operator<=>(const DomainIndex&) const = default;
};

inline constexpr DomainIndex no_domain{};

/// The other direction of the same cable.
constexpr LinkIndex reverse(LinkIndex link) { return {link.value ^ 1u}; }

}  // namespace rackwright::topologies
