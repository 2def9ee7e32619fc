#include "models/kernels/serve/batch_scheduler.h"

#include <algorithm>
#include <utility>

#include "models/base/invariant.h"

namespace rackwright::kernels {

int StepPlan::prompt_tokens() const {
  int sum = 0;
  for (const Chunk& chunk : chunks) sum += chunk.tokens;
  return sum;
}

long StepPlan::context_tokens() const {
  long sum = 0;
  for (const Decode& decode : decodes) sum += decode.context;
  return sum;
}

int StepPlan::longest_context() const {
  int longest = 0;
  for (const Decode& decode : decodes) longest = std::max(longest, decode.context);
  return longest;
}

BatchScheduler::BatchScheduler(std::vector<ServedRequest> requests) : requests_(std::move(requests)), times_(requests_.size()) {}

void BatchScheduler::arrive(std::size_t request, double now_s, int slot) {
  requests_[request].arrival_s = now_s;
  places_[request] = slot;
}

std::optional<int> BatchScheduler::place_of(std::size_t request) {
  const auto given = places_.find(request);
  return given != places_.end() ? given->second : slots_.take();
}

void BatchScheduler::admit(double now_s) {
  for (; arrived_ < requests_.size() && requests_[arrived_].arrival_s <= now_s; ++arrived_) {
    const std::optional<int> slot = place_of(arrived_);
    if (!slot) return;
    times_[arrived_].admitted_s = now_s;
    if (requests_[arrived_].prefilled) running_.push_back({arrived_, *slot, requests_[arrived_].input_tokens, 1});
    else prompts_.push_back({arrived_, *slot, 0, 0});
  }
}

const StepPlan& BatchScheduler::plan(double now_s) {
  invariant(plan_.empty(), "a step is completed before the next one is planned");
  admit(now_s);
  for (const Sequence& sequence : running_) plan_.decodes.push_back({sequence.slot, sequence.cached + 1});
  int room = most_step_tokens - static_cast<int>(running_.size());
  for (const Sequence& sequence : prompts_) {
    if (room == 0 || plan_.chunks.size() == most_chunks) break;
    const int left = request_of(sequence).input_tokens - sequence.cached;
    const int tokens = std::min(left, room);
    plan_.chunks.push_back({sequence.slot, static_cast<int>(sequence.request), sequence.cached, tokens, tokens == left});
    room -= tokens;
  }
  return plan_;
}

bool BatchScheduler::generate(Sequence& sequence, double now_s) {
  ++sequence.generated;
  ServedTimes& times = times_[sequence.request];
  if (sequence.generated == 1) times.first_token_s = now_s;
  if (sequence.generated < request_of(sequence).output_tokens) return false;
  times.finish_s = now_s;
  slots_.give(sequence.slot);
  ++finished_;
  return true;
}

void BatchScheduler::complete(double now_s) {
  std::erase_if(running_, [&](Sequence& sequence) {
    ++sequence.cached;
    return generate(sequence, now_s);
  });
  for (const StepPlan::Chunk& chunk : plan_.chunks) {
    Sequence& first = prompts_.front();
    first.cached += chunk.tokens;
    if (!chunk.last) break;  // Only the last of a step can be cut.
    if (!generate(first, now_s)) running_.push_back(first);
    prompts_.pop_front();
  }
  plan_ = {};
}

std::optional<double> BatchScheduler::next_arrival_s() const {
  if (arrived_ == requests_.size()) return std::nullopt;
  return requests_[arrived_].arrival_s;
}

}  // namespace rackwright::kernels
