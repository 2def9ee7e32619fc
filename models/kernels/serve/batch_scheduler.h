#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "models/kernels/serve/serving_buckets.h"
#include "models/kernels/serve/slot_pool.h"

namespace rackwright::kernels {

struct ServedRequest {
  double arrival_s = 0;
  int input_tokens = 0;
  int output_tokens = 0;
  bool prefilled = false;  ///< Arrives with its prompt's keys and values and its first answer token, of two at least.
};

/// When the scheduler took a request in, and when the steps of its first and its last token ended; negative: not yet.
struct ServedTimes {
  double admitted_s = -1;
  double first_token_s = -1;
  double finish_s = -1;
};

/// What one step computes.
struct StepPlan {
  /// The newest token of a sequence, which attends to `context` tokens, itself included.
  struct Decode {
    int slot = 0;
    int context = 0;
  };
  /// The next part of a prompt.
  struct Chunk {
    int slot = 0;
    int request = 0;
    int past = 0;
    int tokens = 0;
    bool last = false;
  };
  std::vector<Decode> decodes;
  std::vector<Chunk> chunks;

  bool empty() const { return decodes.empty() && chunks.empty(); }
  int prompt_tokens() const;
  long context_tokens() const;
  int longest_context() const;
};

/// Continuous batching: a step takes every running decode, then prompts in order of arrival, cut so that the step holds
/// `most_step_tokens` tokens at most. Times are the caller's; a request has one of `most_sequences` slots from its admission to its end.
class BatchScheduler {
 public:
  /// `requests` ascend by arrival; each has 1 token of input and of output at least, `most_sequence_tokens` together at most.
  explicit BatchScheduler(std::vector<ServedRequest> requests);

  /// The step to run at `now_s`; empty when nothing has arrived that is not finished. `complete` follows before the next one.
  const StepPlan& plan(double now_s);
  /// The request, all before which have arrived, arrives now: its keys and values lie in `slot`, which was taken from `slots()`.
  void arrive(std::size_t request, double now_s, int slot);
  /// The planned step ended.
  void complete(double now_s);

  bool done() const { return finished_ == requests_.size(); }
  /// None once all have arrived; infinite while nobody knows.
  std::optional<double> next_arrival_s() const;
  SlotPool& slots() { return slots_; }
  const std::vector<ServedRequest>& requests() const { return requests_; }
  const std::vector<ServedTimes>& times() const { return times_; }

 private:
  struct Sequence {
    std::size_t request = 0;
    int slot = 0;
    int cached = 0;     ///< Tokens whose keys and values are written.
    int generated = 0;  ///< Answer tokens.
  };
  const ServedRequest& request_of(const Sequence& sequence) const { return requests_[sequence.request]; }
  void admit(double now_s);
  /// Its place in the KV memory, if there is one.
  std::optional<int> place_of(std::size_t request);
  /// One more answer token; whether it was the last.
  bool generate(Sequence& sequence, double now_s);

  std::vector<ServedRequest> requests_;
  std::vector<ServedTimes> times_;
  std::size_t arrived_ = 0;  ///< That were admitted: the first ones.
  std::size_t finished_ = 0;
  SlotPool slots_{most_sequences};
  std::map<std::size_t, int> places_;  ///< Of requests that arrived with one.
  std::deque<Sequence> prompts_;
  std::vector<Sequence> running_;
  StepPlan plan_;
};

}  // namespace rackwright::kernels
