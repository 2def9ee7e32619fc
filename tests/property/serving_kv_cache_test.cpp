#include <deque>
#include <map>
#include <optional>

#include "models/base/random.h"
#include "sim/serving/kv_cache.h"
#include "tests/support/catch.h"

using namespace rackwright;
using serving::KvCache;
using serving::PrefixCaching;

namespace {

/// vLLM's free queue block by block: one queue of single blocks, each with the hash that it still has, if any.
/// A unit here is `unit` blocks with the same hash; it is gone when the first of them is taken.
class BlockByBlock {
 public:
  explicit BlockByBlock(int blocks) : free_(static_cast<std::size_t>(blocks)) {}
  void take(int count) {
    for (; count > 0; --count) {
      const std::optional<std::uint64_t> hash = free_.front();
      free_.pop_front();
      if (hash) forget(*hash);
    }
  }
  void give_back(int count) { free_.insert(free_.end(), static_cast<std::size_t>(count), std::nullopt); }
  void give_back_unit(std::uint64_t hash, int count) { free_.insert(free_.end(), static_cast<std::size_t>(count), hash); }
  bool has(std::uint64_t hash) const { return std::find(free_.begin(), free_.end(), hash) != free_.end(); }
  void remove_unit(std::uint64_t hash) { std::erase(free_, hash); }
  void forget(std::uint64_t hash) { std::replace(free_.begin(), free_.end(), std::optional(hash), std::optional<std::uint64_t>()); }
  std::int64_t free() const { return static_cast<std::int64_t>(free_.size()); }

 private:
  std::deque<std::optional<std::uint64_t>> free_;
};

}  // namespace

TEST_CASE("Counting blocks in runs and units evicts the same prefixes as a queue of single blocks") {
  const std::uint64_t seed = GENERATE(range(1, 41));
  CAPTURE(seed);
  RandomStream random(seed, "kv_cache", "mix");
  constexpr int blocks = 60;
  const int unit_blocks = 1 + static_cast<int>(random() % 3);
  KvCache cache(blocks, 16, PrefixCaching::on);
  BlockByBlock expected(blocks);
  int owned = 0;                                     // Blocks without a hash that somebody holds.
  std::map<std::uint64_t, std::pair<KvCache::Unit, int>> used;  // Units in use, with their users.
  for (int step = 0; step < 3'000; ++step) {
    const std::uint64_t hash = 1 + random() % 25;
    switch (random() % 5) {
      case 0: {
        const int count = static_cast<int>(random() % 6);
        if (count > cache.free()) break;
        cache.take(count);
        expected.take(count);
        owned += count;
        break;
      }
      case 1: {
        const int count = static_cast<int>(random() % static_cast<std::uint64_t>(owned + 1));
        cache.give_back(count);
        expected.give_back(count);
        owned -= count;
        break;
      }
      case 2: {
        if (owned < unit_blocks) break;
        const KvCache::Unit unit = cache.publish(hash, unit_blocks);
        CHECK((unit == KvCache::no_unit) == used.contains(hash));
        if (unit == KvCache::no_unit) break;
        expected.forget(hash);
        used[hash] = {unit, 1};
        owned -= unit_blocks;
        break;
      }
      case 3: {
        const KvCache::Unit unit = cache.find(hash);
        CHECK((unit != KvCache::no_unit) == (used.contains(hash) || expected.has(hash)));
        if (unit == KvCache::no_unit) break;
        CHECK(cache.is_used(unit) == used.contains(hash));
        cache.use(unit);
        if (!used.contains(hash)) expected.remove_unit(hash);
        ++used.try_emplace(hash, unit, 0).first->second.second;
        break;
      }
      default: {
        if (!used.contains(hash)) break;
        cache.drop(used[hash].first);
        if (--used[hash].second > 0) break;
        expected.give_back_unit(hash, unit_blocks);
        used.erase(hash);
        break;
      }
    }
    CHECK(cache.free() == expected.free());
  }
}
