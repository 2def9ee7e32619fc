#include "traces/text/content_hash.h"

#include <xxhash.h>

#include <memory>
#include <vector>

#include "models/base/invariant.h"

namespace rackwright::traces {

std::uint64_t content_hash(ByteSource& bytes) {
  const std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t*)> state(XXH3_createState(), XXH3_freeState);
  invariant(state != nullptr, "xxhash starts");
  XXH3_64bits_reset(state.get());
  std::vector<char> piece(std::size_t{64} * 1024);
  while (const std::size_t got = bytes.read(piece)) XXH3_64bits_update(state.get(), piece.data(), got);
  return XXH3_64bits_digest(state.get());
}

}  // namespace rackwright::traces
