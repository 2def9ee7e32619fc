#include <cmath>
#include <fstream>
#include <string>

#include "sim/serving/prefix_lru.h"
#include "tests/support/catch.h"
#include "tests/support/shared_data.h"

using namespace rackwright;

namespace {

/// The `hash_ids` of each line: every number of the last array.
std::vector<std::vector<std::uint64_t>> read_hashes(const std::filesystem::path& path) {
  std::vector<std::vector<std::uint64_t>> requests;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::vector<std::uint64_t>& hashes = requests.emplace_back();
    const char* at = line.c_str() + line.find('[') + 1;
    for (char* end = nullptr; *at != ']' && *at != '\0'; at = end + (*end == ',' ? 1 : 0)) hashes.push_back(std::strtoull(at, &end, 10));
  }
  return requests;
}

}  // namespace

TEST_CASE("The Mooncake conversation trace hits an LRU of 512-token blocks as often as was counted independently") {
  const auto [capacity, expected] = GENERATE(table<std::size_t, double>({{0, .3664}, {100'000, .3637}, {50'000, .3546}, {30'000, .3257},
                                                                          {10'000, .2112}, {5'859, .1355}, {3'000, .0650}, {1'000, .0445}}));
  CAPTURE(capacity);
  const auto requests = read_hashes(test::shared_data("traces/mooncake/conversation_trace.jsonl"));
  REQUIRE(requests.size() == 12'031);
  serving::PrefixLru cache(capacity);
  std::size_t hits = 0;
  std::size_t blocks = 0;
  for (const auto& hashes : requests) {
    hits += cache.match(hashes);
    blocks += hashes.size();
    cache.use(hashes);
  }
  CHECK(blocks == 288'500);
  const double rate = static_cast<double>(hits) / static_cast<double>(blocks);
  CHECK(std::round(rate * 1e4) / 1e4 == Approx(expected).margin(1e-9));
}
