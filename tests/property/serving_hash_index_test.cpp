#include <unordered_map>

#include "models/base/random.h"
#include "sim/serving/hash_index.h"
#include "tests/support/catch.h"

using namespace rackwright;
using serving::HashIndex;

TEST_CASE("The index agrees with a map under any mix of inserting and erasing") {
  const std::uint64_t seed = GENERATE(range(1, 21));
  CAPTURE(seed);
  RandomStream random(seed, "hash_index", "mix");
  HashIndex index;
  std::unordered_map<std::uint64_t, std::uint32_t> expected;
  for (std::uint32_t i = 0; i < 5'000; ++i) {
    const std::uint64_t key = random() % 300 * (seed % 2 == 0 ? 1 : 0x100000000u);  // Dense keys, and keys with equal low bits.
    const auto found = expected.find(key);
    CHECK(index.find(key) == (found == expected.end() ? HashIndex::none : found->second));
    if (found == expected.end()) {
      index.insert(key, i);
      expected[key] = i;
    } else {
      index.erase(key);
      expected.erase(found);
    }
    CHECK(index.size() == expected.size());
  }
}
