#include "tests/support/plain_serving_loop.h"

#include <algorithm>
#include <deque>
#include <queue>
#include <tuple>

namespace rackwright::test {
namespace {

struct State {
  std::int32_t input = 0;
  std::int32_t prompt = 0;     ///< To compute before the next token: a restart adds what was emitted to the input.
  std::int32_t processed = 0;  ///< Tokens whose KV exists.
  std::int32_t emitted = 0;
  std::int64_t blocks = 0;
  bool is_in_prompt() const { return emitted == prompt - input; }
};

struct Part {
  std::size_t request = 0;
  std::int32_t tokens = 0;
  bool is_prefill = false;
};

class Replica {
 public:
  Replica(const PlainSetup& setup, std::vector<State>& states, PlainResult& result)
      : setup_(setup), states_(states), result_(result), free_(setup.blocks) {}

  std::deque<std::size_t> queue;
  std::vector<Part> batch;  ///< In flight; empty: idle.

  void plan(SimTime now) {
    if (setup_.policy == PlainPolicy::sarathi) {
      run_decodes();
      run_partial_prompts();
      admit_within_budget();
    } else if (setup_.policy == PlainPolicy::prefill_first) {
      admit_whole_prompts();
      if (batch.empty()) run_decodes();
    } else {
      for (const std::size_t request : running_) batch.push_back({request, 1, false});
      if (setup_.policy == PlainPolicy::orca || running_.empty()) admit_with_reserve();
    }
    for (const Part& part : batch) {
      PlainTimes& times = result_.requests[part.request];
      if (times.scheduled == SimTime::max()) times.scheduled = now;
    }
  }

  cost::StepShape shape(std::vector<cost::PrefillChunk>& chunks) const {
    cost::StepShape shape;
    chunks.clear();
    for (const Part& part : batch) {
      const State& state = states_[part.request];
      if (part.is_prefill) {
        chunks.push_back({part.tokens, state.processed, state.processed + part.tokens == state.prompt});
      } else {
        ++shape.decode_sequences;
        shape.decode_context_tokens += state.processed + 1;
        shape.decode_context_max = std::max(shape.decode_context_max, state.processed + 1);
      }
    }
    shape.prefill = chunks;
    return shape;
  }

  void finish(SimTime now, const std::vector<traces::Request>& requests) {
    for (const Part& part : batch) {
      State& state = states_[part.request];
      state.processed += part.tokens;
      const bool samples = !part.is_prefill || state.processed == state.prompt;
      if (samples && ++state.emitted == 1) result_.requests[part.request].first_token = now;
      if (state.emitted < requests[part.request].output_tokens) continue;
      result_.requests[part.request].completed = now;
      release(part.request);
      std::erase(running_, part.request);
    }
    batch.clear();
  }

 private:
  std::int64_t blocks_of(std::int64_t tokens) const { return (tokens + setup_.block_tokens - 1) / setup_.block_tokens; }

  void release(std::size_t request) {
    free_ += states_[request].blocks;
    states_[request].blocks = 0;
  }

  void restart(std::size_t request) {
    State& state = states_[request];
    release(request);
    state.prompt = state.input + state.emitted;
    state.processed = 0;
    queue.push_front(request);
    std::erase(running_, request);
    ++result_.requests[request].restarts;
  }

  void run_decodes() {
    const std::vector<std::size_t> order = running_;
    for (const std::size_t request : order) {
      if (std::ranges::find(running_, request) == running_.end()) continue;  // Restarted for an earlier one.
      State& state = states_[request];
      if (state.is_in_prompt()) continue;
      bool is_in = true;
      while (free_ < 1 && is_in) {
        const std::size_t victim = running_.back();
        restart(victim);
        std::erase_if(batch, [&](const Part& part) { return part.request == victim; });
        is_in = victim != request;
      }
      if (!is_in) return;
      const std::int64_t lacking = blocks_of(state.processed + 1) - state.blocks;
      state.blocks += lacking;
      free_ -= lacking;
      batch.push_back({request, 1, false});
    }
  }

  std::int32_t tokens_in_batch() const {
    std::int32_t tokens = 0;
    for (const Part& part : batch) tokens += part.tokens;
    return tokens;
  }

  void run_partial_prompts() {
    for (const std::size_t request : running_) {
      const State& state = states_[request];
      if (!state.is_in_prompt()) continue;
      const std::int32_t tokens = std::min(state.prompt - state.processed, setup_.token_budget - tokens_in_batch());
      if (tokens > 0) batch.push_back({request, tokens, true});
    }
  }

  bool may_admit() const {
    return !queue.empty() && static_cast<std::int32_t>(running_.size()) < setup_.max_sequences &&
           free_ - blocks_of(states_[queue.front()].prompt) >= setup_.watermark_blocks;
  }

  void admit(std::int32_t tokens) {
    const std::size_t request = queue.front();
    queue.pop_front();
    states_[request].blocks = blocks_of(states_[request].prompt);
    free_ -= states_[request].blocks;
    batch.push_back({request, tokens, true});
    running_.push_back(request);
  }

  void admit_within_budget() {
    while (may_admit()) {
      const std::int32_t tokens = std::min(states_[queue.front()].prompt, setup_.token_budget - tokens_in_batch());
      if (tokens <= 0) return;
      admit(tokens);
    }
  }

  void admit_whole_prompts() {
    std::int64_t longest = 0;
    while (may_admit()) {
      const std::int32_t prompt = states_[queue.front()].prompt;
      longest = std::max<std::int64_t>(longest, prompt);
      if (static_cast<std::int64_t>(batch.size() + 1) * longest > setup_.token_budget) return;
      admit(prompt);
    }
  }

  void admit_with_reserve() {
    while (!queue.empty() && static_cast<std::int32_t>(running_.size()) < setup_.max_sequences && free_ >= setup_.reserve_blocks) {
      const std::size_t request = queue.front();
      queue.pop_front();
      states_[request].blocks = setup_.reserve_blocks;
      free_ -= setup_.reserve_blocks;
      batch.push_back({request, states_[request].prompt, true});
      running_.push_back(request);
    }
  }

  const PlainSetup& setup_;
  std::vector<State>& states_;
  PlainResult& result_;
  std::int64_t free_;
  std::vector<std::size_t> running_;  ///< Allocated, in order of admission.
};

}  // namespace

PlainResult run_plain_loop(const PlainSetup& setup, const cost::StepCostModel& cost, const std::vector<traces::Request>& requests) {
  PlainResult result;
  result.requests.assign(requests.size(), {SimTime::max(), {}, {}, 0});
  std::vector<State> states(requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i) states[i].input = states[i].prompt = requests[i].input_tokens;
  std::deque<Replica> replicas;
  for (int i = 0; i < setup.replicas; ++i) replicas.emplace_back(setup, states, result);

  // At one instant ends of batches, then arrivals, then plans.
  enum Kind { ends, arrives };
  using Event = std::tuple<std::int64_t, Kind, std::size_t>;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events;
  for (std::size_t i = 0; i < requests.size(); ++i) events.emplace(requests[i].arrival.ps, arrives, i);
  std::vector<cost::PrefillChunk> chunks;
  while (!events.empty()) {
    const SimTime now{std::get<0>(events.top())};
    for (; !events.empty() && std::get<0>(events.top()) == now.ps; events.pop()) {
      const auto [at, kind, which] = events.top();
      if (kind == ends) {
        replicas[which].finish(now, requests);
        continue;
      }
      std::size_t chosen = which % replicas.size();
      if (setup.routing == PlainRouting::least_waiting) {
        chosen = 0;
        for (std::size_t i = 1; i < replicas.size(); ++i)
          if (replicas[i].queue.size() < replicas[chosen].queue.size()) chosen = i;
      }
      replicas[chosen].queue.push_back(which);
    }
    for (std::size_t i = 0; i < replicas.size(); ++i) {
      if (!replicas[i].batch.empty()) continue;
      replicas[i].plan(now);
      if (replicas[i].batch.empty()) continue;
      ++result.batches;
      events.emplace(now.ps + cost.price(replicas[i].shape(chunks), {}).duration.ps, ends, i);
    }
  }
  return result;
}

}  // namespace rackwright::test
