#include <fstream>
#include <limits>
#include <set>
#include <string>

#include "models/base/invariant.h"
#include "models/kernels/serve/batch_scheduler.h"
#include "models/kernels/serve/request_list.h"
#include "models/kernels/serve/serving_buckets.h"
#include "models/kernels/serve/split_lists.h"
#include "models/kernels/serve/step_input.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace rackwright;
using namespace rackwright::kernels;

namespace {

std::vector<ServedRequest> read(const std::string& text) {
  const test::TemporaryFolder folder;
  const auto file = folder.path() / "list.csv";
  std::ofstream(file) << text;
  return read_request_list(file);
}

std::string reason(const std::string& text) {
  try {
    read(text);
  } catch (const EnvironmentError& error) {
    const std::string what = error.what();
    return what.substr(what.find("list.csv:"));
  }
  return {};
}

}  // namespace

TEST_CASE("A step runs in the smallest graph that holds it") {
  CHECK(bucket_of(1, 0) == StepBucket{1, 0});
  CHECK(bucket_of(9, 0) == StepBucket{12, 0});
  CHECK(bucket_of(80, 0) == StepBucket{80, 0});
  // Beside a prompt decodes are padded more coarsely; a prompt alone has no decode rows.
  CHECK(bucket_of(9, 1) == StepBucket{16, 64});
  CHECK(bucket_of(0, 65) == StepBucket{0, 128});
  CHECK(bucket_of(80, 1968) == StepBucket{80, 2048});
  // 14 of decodes alone, and 7 × 12.
  CHECK(serving_buckets().size() == 98);
  CHECK(bucket_of(9, 1).rows() == 80);
}

TEST_CASE("A list of requests is read as it stands, and refused with the line that is wrong") {
  const std::vector<ServedRequest> requests = read("arrival_s,input_tokens,output_tokens\n0.5,100,20\n0.5,7,1\n");
  REQUIRE(requests.size() == 2);
  CHECK(requests[0].arrival_s == 0.5);
  CHECK(requests[0].input_tokens == 100);
  CHECK(requests[1].output_tokens == 1);
  const std::string columns = "arrival_s,input_tokens,output_tokens\n";
  CHECK(reason("") == "list.csv:1: cannot be read, or is empty");
  CHECK(reason("arrival,input,output\n") == "list.csv:1: expected the columns arrival_s,input_tokens,output_tokens");
  CHECK(reason(columns) == "list.csv:2: no request");
  CHECK(reason(columns + "0,1\n") == "list.csv:2: expected a time and two token counts");
  CHECK(reason(columns + "0,1,1,1\n") == "list.csv:2: expected a time and two token counts");
  CHECK(reason(columns + "0,1,0\n") == "list.csv:2: a request needs a token of input and of output");
  CHECK(reason(columns + "0,8192,1\n") == "list.csv:2: longer than the KV memory of one sequence");
  CHECK(reason(columns + "2,1,1\n1,1,1\n") == "list.csv:3: arrives before the request above it");
}

TEST_CASE("A step takes every decode, then prompts in order of arrival up to 2,048 tokens") {
  BatchScheduler scheduler({{0, 1000, 3}, {0, 1500, 1}, {5, 10, 2}});
  const StepPlan first = scheduler.plan(1);
  REQUIRE(first.chunks.size() == 2);
  CHECK(first.decodes.empty());
  CHECK(first.chunks[0].tokens == 1000);
  CHECK(first.chunks[0].last);
  // 2048 − 1000 of the second prompt.
  CHECK(first.chunks[1].tokens == 1048);
  CHECK_FALSE(first.chunks[1].last);
  scheduler.complete(2);
  const StepPlan second = scheduler.plan(2);
  REQUIRE(second.decodes.size() == 1);
  // The prompt's 1,000 tokens and the one that is computed.
  CHECK(second.decodes[0].context == 1001);
  REQUIRE(second.chunks.size() == 1);
  CHECK(second.chunks[0].past == 1048);
  CHECK(second.chunks[0].tokens == 452);
  CHECK(second.chunks[0].last);
  scheduler.complete(3);
  CHECK(scheduler.plan(3).decodes[0].context == 1002);
  scheduler.complete(4);
  CHECK(scheduler.plan(4).empty());
  CHECK_FALSE(scheduler.done());
  CHECK(scheduler.next_arrival_s() == 5.0);
  CHECK(scheduler.plan(5).prompt_tokens() == 10);
  scheduler.complete(6);
  CHECK_FALSE(scheduler.plan(6).empty());
  scheduler.complete(7);
  CHECK(scheduler.done());
  CHECK_FALSE(scheduler.next_arrival_s().has_value());
  // First and last tokens come where the steps of theirs ended; an answer of one token ends with its first.
  CHECK(scheduler.times()[0].admitted_s == 1);
  CHECK(scheduler.times()[0].first_token_s == 2);
  CHECK(scheduler.times()[0].finish_s == 4);
  CHECK(scheduler.times()[1].first_token_s == 3);
  CHECK(scheduler.times()[1].finish_s == 3);
  CHECK(scheduler.times()[2].finish_s == 7);
}

TEST_CASE("At most 80 sequences run, each in a slot of its own, and every token of each is computed once") {
  std::vector<ServedRequest> requests;
  for (int i = 0; i < 300; ++i) requests.push_back({0.01 * i, 1 + i * 37 % 700, 1 + i * 11 % 90});
  BatchScheduler scheduler(requests);
  long computed = 0;
  double now = 0;
  while (!scheduler.done()) {
    const StepPlan& plan = scheduler.plan(now);
    if (plan.empty()) {
      now = *scheduler.next_arrival_s();
      continue;
    }
    std::set<int> slots;
    for (const StepPlan::Decode& decode : plan.decodes) slots.insert(decode.slot);
    for (const StepPlan::Chunk& chunk : plan.chunks) slots.insert(chunk.slot);
    REQUIRE(slots.size() == plan.decodes.size() + plan.chunks.size());
    REQUIRE(slots.size() <= static_cast<std::size_t>(most_sequences));
    REQUIRE(*slots.begin() >= 0);
    REQUIRE(*slots.rbegin() < most_sequences);
    REQUIRE(plan.chunks.size() <= static_cast<std::size_t>(most_chunks));
    const int tokens = static_cast<int>(plan.decodes.size()) + plan.prompt_tokens();
    REQUIRE(tokens <= most_step_tokens);
    computed += tokens;
    now += 0.02;
    scheduler.complete(now);
  }
  // The last token of an answer is never fed back: input + output − 1.
  long expected = 0;
  for (const ServedRequest& request : requests) expected += request.input_tokens + request.output_tokens - 1;
  CHECK(computed == expected);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const ServedTimes& times = scheduler.times()[i];
    REQUIRE(requests[i].arrival_s <= times.admitted_s);
    REQUIRE(times.admitted_s < times.first_token_s);
    REQUIRE(times.first_token_s <= times.finish_s);
  }
}

TEST_CASE("Prompts and tokens apart compute what both compute together, each token once") {
  const std::vector<ServedRequest> requests{{0, 1000, 3}, {0, 1500, 1}, {5, 10, 2}};
  const std::vector<ServedRequest> prompts = prompts_of(requests);
  CHECK(prompts[0].input_tokens == 1000);
  CHECK(prompts[0].output_tokens == 1);
  BatchScheduler first(prompts);
  CHECK(first.plan(1).prompt_tokens() == 2048);
  first.complete(2);
  // The first request has its only token of this side: nothing is decoded.
  CHECK(first.plan(2).decodes.empty());
  CHECK(first.times()[0].finish_s == 2);
  // The second has one token and is done; the third arrives with ten tokens cached and its first answer token.
  const std::vector<ServedRequest> tokens = tokens_of(requests, {2.5, 3, 6});
  REQUIRE(decoded_of(requests) == std::vector<std::size_t>{0, 2});
  BatchScheduler second(tokens);
  CHECK(second.plan(2).empty());
  CHECK(second.next_arrival_s() == 2.5);
  const StepPlan& step = second.plan(2.5);
  CHECK(step.chunks.empty());
  REQUIRE(step.decodes.size() == 1);
  CHECK(step.decodes[0].context == 1001);
  second.complete(3);
  CHECK(second.plan(3).decodes[0].context == 1002);
  second.complete(6);
  // 3 − 1 tokens were left to decode, and 2 − 1 of the other.
  CHECK(second.times()[0].finish_s == 6);
  CHECK(second.plan(6).decodes[0].context == 11);
  second.complete(7);
  CHECK(second.done());
}

TEST_CASE("A request that is handed over keeps the place it was promised until it ends") {
  constexpr double unknown = std::numeric_limits<double>::infinity();
  BatchScheduler scheduler(tokens_of({{0, 10, 2}, {0, 20, 3}}, {unknown, unknown}));
  const int promised = *scheduler.slots().take();
  CHECK(scheduler.plan(1).empty());
  CHECK_FALSE(scheduler.done());
  scheduler.arrive(0, 1, promised);
  CHECK(scheduler.plan(1).decodes[0].slot == promised);
  CHECK(*scheduler.slots().take() != promised);
  scheduler.complete(2);
  // One token was left of two: the place is free again, and goes to the next.
  CHECK(*scheduler.slots().take() == promised);
  scheduler.arrive(1, 2, promised);
  CHECK(scheduler.plan(2).decodes[0].context == 21);
}

TEST_CASE("The device is told the rows of every chunk, and the tiles of its queries, the longest work first") {
  StepPlan plan;
  plan.decodes = {{7, 300}, {2, 17}};
  plan.chunks = {{4, 11, 0, 130, true}, {5, 12, 1000, 64, false}};
  const StepBucket bucket = bucket_of(2, 194);
  REQUIRE(bucket == StepBucket{8, 256});
  const StepInput input = step_input(plan, bucket);
  CHECK(input.decodes == 2);
  CHECK(input.decode_slots[1] == 2);
  CHECK(input.decode_contexts[0] == 300);
  REQUIRE(input.chunks == 2);
  CHECK(input.chunk[1].first_row == 130);
  CHECK(input.chunk[0].last == 1);
  CHECK(input.chunk[1].last == 0);
  // 130 queries fill two tiles of 128, 64 one; the one after 1,000 tokens comes first, then the second part of the first prompt.
  REQUIRE(input.tiles == 3);
  CHECK(input.tile[0].past_tokens == 1000);
  CHECK(input.tile[0].first_row == 8 + 130);
  CHECK(input.tile[0].first_key == 5 * most_sequence_tokens);
  CHECK(input.tile[1].first_query == 128);
  CHECK(input.tile[1].first_row == 8);
  CHECK(input.tile[2].first_query == 0);
}

TEST_CASE("No step has more tiles than its graph has room for") {
  // 16 chunks that each begin a tile of their own: ⌈n / 128⌉ summed is at most ⌈N / 128⌉ + 16.
  for (const int longest : {1, 127, 128, 129}) {
    StepPlan plan;
    int tokens = 0;
    for (int slot = 0; slot < most_chunks && tokens + longest <= most_step_tokens; ++slot, tokens += longest) plan.chunks.push_back({slot, slot, 0, longest, true});
    const StepBucket bucket = bucket_of(0, tokens);
    CHECK(step_input(plan, bucket).tiles <= tiles_of(bucket));
  }
  CHECK(tiles_of({80, 0}) == 0);
  CHECK(tiles_of({0, 2048}) == StepInput::most_tiles);
}
