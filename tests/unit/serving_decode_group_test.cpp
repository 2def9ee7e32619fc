#include "sim/serving/decode_group.h"
#include "tests/support/catch.h"

using namespace rackwright;
using namespace rackwright::serving;

namespace {

SequenceId ready(SequencePool& pool, std::int32_t computed, std::int32_t tokens_left, std::int32_t blocks, SimTime last_token = {}) {
  const SequenceId id = pool.claim();
  pool[id].computed = computed;
  pool[id].emitted = 1;
  pool[id].output_tokens = 1 + tokens_left;
  pool[id].blocks = blocks;
  pool[id].last_token = last_token;
  pool[id].order = id;
  return id;
}

const StepClock second_steps{{0}, {picoseconds_per_second}, {0}};

}  // namespace

TEST_CASE("A group ages as one: contexts grow by a token a step for each member") {
  SequencePool pool;
  DecodeGroup group(pool, 16);
  const SequenceId a = ready(pool, 100, 5, 7);
  const SequenceId b = ready(pool, 37, 9, 3);
  group.add(a);
  group.add(b);
  CHECK(group.context_tokens() == 101 + 38);
  CHECK(group.context_max() == 101);
  CHECK(group.steps_to_first_end() == 5);
  group.advance(second_steps, 0, 5);
  CHECK(group.context_tokens() == 106 + 43);
  CHECK(group.ended() == a);
  group.remove(a);
  CHECK(pool[a].computed == 105);
  CHECK(pool[a].emitted == 6);
  CHECK(pool[a].last_token == SimTime{5 * picoseconds_per_second});
  CHECK(group.context_max() == 43);
  CHECK(group.ended() == no_sequence);
  CHECK(group.steps_to_first_end() == 4);
}

TEST_CASE("The blocks of k steps are those of counting each member's length block by block") {
  SequencePool pool;
  const int block = GENERATE(1, 2, 16, 48);
  DecodeGroup group(pool, block);
  const std::vector<int> lengths{1, 15, 16, 17, 32, 100, 101, 48};
  for (const int length : lengths) group.add(ready(pool, length, 1000, (length + block - 1) / block));
  const auto counted = [&](int steps) {
    std::int64_t blocks = 0;
    for (const int length : lengths) blocks += (length + steps + block - 1) / block - (length + block - 1) / block;
    return blocks;
  };
  for (int steps = 0; steps < 200; ++steps) {
    CHECK(group.block_demand(steps) == counted(steps));
    // The most steps that fit into what `steps` need: the demand of one more is larger.
    const std::int64_t most = group.steps_within(counted(steps));
    CHECK(counted(static_cast<int>(most)) <= counted(steps));
    CHECK(counted(static_cast<int>(most) + 1) > counted(steps));
  }
  // Granting ahead and ageing in two goes takes the same blocks as in one.
  CHECK(group.grant(8) == counted(8));
  group.advance(second_steps, 0, 7);
  CHECK(group.grant(30) == counted(37) - counted(8));
}

TEST_CASE("With windows, the blocks of k steps are those of counting each member's length, however the steps are granted") {
  SequencePool pool;
  const int block = GENERATE(1, 4, 16);
  const llm::KvLayout layout(block, 1, {{2, 24}, {1, 100}});
  DecodeGroup group(pool, layout);
  std::vector<int> lengths{1, 15, 16, 17, 32, 48, 100, 101, 400};
  std::vector<SequenceId> members;
  for (const int length : lengths) {
    members.push_back(ready(pool, length, 1000, static_cast<std::int32_t>(layout.blocks_for(length))));
    group.add(members.back());
  }
  const auto counted = [&](int from, int to) {
    std::int64_t blocks = 0;
    for (const int length : lengths) blocks += layout.blocks_for(length + to) - layout.blocks_for(length + from);
    return blocks;
  };
  for (int steps = 0; steps < 300; ++steps) {
    CHECK(group.block_demand(steps) == counted(0, steps));
    // A window that fills leaves more room than was counted on, but the first step that does not fit is never passed.
    if (const std::int64_t within = group.steps_within(counted(0, steps)); within < 1000) CHECK(counted(0, static_cast<int>(within)) <= counted(0, steps));
  }
  int age = 0;
  for (const int steps : {1, 7, 1, 30, 2, 61, 16, 90}) {
    CHECK(group.grant(steps + 1) == counted(age + (age > 0 ? 1 : 0), age + steps + 1));
    group.advance(second_steps, age, steps);
    age += steps;
  }
  // Whoever leaves holds what its length takes.
  group.advance(second_steps, age, 1);
  group.remove(members[3]);
  CHECK(pool[members[3]].blocks == layout.blocks_for(17 + age + 1));
  lengths.erase(lengths.begin() + 3);
  CHECK(group.block_demand(50) == counted(age + 1, age + 51));
}

TEST_CASE("A sequence that holds all its blocks from the start takes none on its way") {
  SequencePool pool;
  DecodeGroup group(pool, 16);
  group.add(ready(pool, 10, 100, 7));
  CHECK(group.block_demand(100) == 0);
  CHECK(group.steps_within(0) == no_limit);
}

TEST_CASE("The longest gap of a member is over the steps since it joined, its own wait before the first included") {
  SequencePool pool;
  DecodeGroup group(pool, 16);
  const auto seconds = [](int s) { return SimTime{s * picoseconds_per_second}; };
  const SequenceId a = ready(pool, 10, 100, 1, seconds(0));
  group.add(a);
  group.advance({seconds(5), seconds(2), {0}}, 0, 1);  // a waits for 7 s; 2 s of it are the step.
  const SequenceId b = ready(pool, 10, 100, 1, seconds(4));
  group.add(b);  // Its prompt ended while the group stood still, at 4.
  CHECK(group.latecomers() == std::vector<SequenceId>{b});
  group.advance({seconds(7), seconds(1), {0}}, 0, 1);  // Ends at 8: a gap of 1 for a, of 4 for b.
  CHECK(group.latecomers().empty());
  const SequenceId c = ready(pool, 10, 100, 1, seconds(8));
  group.add(c);
  group.advance({seconds(8), seconds(2), seconds(1)}, 0, 2);  // Gaps of 2 and 3 for all.
  group.remove(a);
  group.remove(b);
  group.remove(c);
  CHECK(pool[a].longest_gap == seconds(7));
  CHECK(pool[b].longest_gap == seconds(4));
  CHECK(pool[c].longest_gap == seconds(3));
}
