#include "topologies/routing/link_state.h"

#include "models/base/invariant.h"

namespace rackwright::topologies {

void LinkState::restore(LinkIndex link) {
  std::uint16_t& causes = causes_[link.value / 2];
  invariant(causes > 0, "a restored cable has failed before");
  --causes;
}

void LinkState::fail(VertexIndex vertex) {
  for (const LinkIndex link : topology_.out_links(vertex)) fail(link);
}

void LinkState::restore(VertexIndex vertex) {
  for (const LinkIndex link : topology_.out_links(vertex)) restore(link);
}

}  // namespace rackwright::topologies
