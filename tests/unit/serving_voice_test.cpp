#include "sim/policies/router_registry.h"
#include "sim/policies/scheduler_registry.h"
#include "tests/support/catch.h"
#include "tests/support/serving_doubles.h"

using namespace rackwright;
using namespace rackwright::serving;
using namespace rackwright::tests;

namespace {

/// Steps of 1 ms; 30 ms to the hall; 200 ms to recognise; sentences of 5 tokens of 300 ms each, whose first audio takes
/// 100 ms and whose audio takes `factor` of its length in work.
ServingSpec spoken(double factor, int mouths = 8) {
  ServingSpec spec;
  spec.router = policies::find_router("least-outstanding")->make({});
  spec.jumping = GENERATE(Jumping::on, Jumping::off);
  PoolSpec pool;
  pool.name = "agent";
  pool.instance = {policies::find_scheduler("vllm-v1")->make({}), std::make_shared<AffineCostModel>(), 1000, 16};
  spec.pools.push_back(pool);
  spec.stations.push_back({"ears", 1, 1, 0, 1, 0, 0});
  spec.stations.push_back({"mouths", 1, mouths, 0, 1, 0, 0});
  VoiceSpec& voice = spec.voice.emplace();
  voice.network_delay = {30 * ms};
  voice.recognition = VoiceSpec::Stage{0, traces::QuantileTable::constant(0.2), 0};
  voice.synthesis = {1, traces::QuantileTable::constant(0.1), factor};
  voice.sentence_tokens = 5;
  voice.token_audio = {300 * ms};
  return spec;
}

}  // namespace

TEST_CASE("First audio is network, recognition, the first sentence, and the latency of its synthesis") {
  // The text is in the hall at 30 + 200 ms; token k ends at 230 + k. The first sentence is there at 235, sounds in the hall at
  // 335 and at the caller at 365. Its synthesis is over at 235 + 100 + 150 = 485, long before 1500 ms of it have sounded; the
  // second and the third (of two tokens) follow without a silence: 335 + 12 · 300 = 3935, and 30 ms to the caller.
  const ServingRun run = run_serving(spoken(0.1), {request(0, 10, 12)});
  const metrics::RequestOutcome turn = run.observer.of(0);
  CHECK(turn.arrival.ps == 230 * ms);
  CHECK(turn.ttft().ps == ms);
  CHECK(turn.last_token.ps == 242 * ms);
  REQUIRE(turn.turn);
  CHECK(turn.turn->start.ps == 0);
  CHECK(turn.turn->first_audio.ps == 365 * ms);
  CHECK(turn.turn->network.ps == 60 * ms);
  CHECK(turn.turn->recognition.ps == 200 * ms);
  CHECK(turn.turn->synthesis.ps == 100 * ms);
  CHECK(turn.turn->longest_gap.ps == 0);
  CHECK(turn.turn->end.ps == 3965 * ms);
  CHECK(run.observer.jobs.size() == 4);
  CHECK(run.counts.completed == 1);
  CHECK_FALSE(run.stall);
}

TEST_CASE("Synthesis slower than speech leaves silences between sentences") {
  // A sentence takes 100 + 1.2 · 1500 = 1900 ms of work. The first one, from 235, sounds until it is made at 2135; the second
  // one's first audio is there at 2235: 100 ms of silence, and it ends at 4035. The last, of two tokens, has its first at 4135.
  const ServingRun run = run_serving(spoken(1.2), {request(0, 10, 12)});
  CHECK(run.observer.of(0).turn->longest_gap.ps == 100 * ms);
  CHECK(run.observer.of(0).turn->first_audio.ps == 365 * ms);
  CHECK(run.observer.of(0).turn->end.ps == (4035 + 100 + 720 + 30) * ms);
}

TEST_CASE("Callers wait for workers of recognition and of synthesis, and it counts into their turns") {
  // Both stop speaking at 0. One ear: the second text is there at 430. One mouth, whose first sentence is at work from 235 to
  // 485; the second caller's first sentence is there at 435, behind the second one of the first caller, queued at 485.
  const ServingRun run = run_serving(spoken(0.1, 1), {request(0, 10, 10), request(0, 10, 5)});
  const results::SpokenTurn first = *run.observer.of(0).turn;
  const results::SpokenTurn second = *run.observer.of(1).turn;
  CHECK(first.recognition.ps == 200 * ms);
  CHECK(second.recognition.ps == 400 * ms);
  // First come, first served: at 485 the second caller's sentence, queued at 435, goes first.
  CHECK(second.first_audio.ps == (485 + 100 + 30) * ms);
  CHECK(second.synthesis.ps == (485 + 100 - 435) * ms);
}

TEST_CASE("Hidden reasoning is not spoken, an answer shorter than a sentence is, and the next turn waits until it has sounded") {
  std::vector<traces::Request> requests{request(0, 10, 6), request(0, 10, 5)};
  requests[0].reasoning_tokens = 4;  // Two tokens are seen, the last at 236 ms.
  requests[0].session = requests[1].session = 3;
  requests[1].parent = 0;
  requests[1].think_time.ps = 1000 * ms;
  const ServingRun run = run_serving(spoken(0.1), requests);
  const results::SpokenTurn first = *run.observer.of(0).turn;
  CHECK(first.first_audio.ps == (236 + 100 + 30) * ms);
  CHECK(first.end.ps == (236 + 100 + 600 + 30) * ms);
  CHECK(run.observer.of(1).turn->start.ps == first.end.ps + 1000 * ms);
}

TEST_CASE("A caller who gives up is not answered, and a turn that no pool takes ends") {
  ServingSpec spec = spoken(0.1);
  spec.others.timeout = {8 * ms};  // After the text: in the middle of the second sentence.
  const ServingRun run = run_serving(spec, {request(0, 10, 100), request(700 * ms, 10, 3)});
  CHECK(run.observer.of(0).outcome == metrics::Outcome::cancelled);
  CHECK_FALSE(run.observer.of(0).turn);
  CHECK(run.observer.of(1).outcome == metrics::Outcome::completed);
  CHECK(run.counts.in_flight == 0);
  CHECK_FALSE(run.stall);
}
