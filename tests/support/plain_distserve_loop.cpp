#include "tests/support/plain_distserve_loop.h"

#include <deque>
#include <limits>

#include "models/base/invariant.h"

namespace rackwright::test {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

struct Worker {
  std::deque<std::size_t> prompts;
  std::deque<std::size_t> decodes;
  std::vector<std::size_t> running;
  bool runs_prompts = false;
  double end_ms = never;
};

class Loop {
 public:
  Loop(const DistServeSetup& setup, std::vector<DistServeRequest>& requests)
      : setup_(setup), requests_(requests), done_(requests.size()), prefillers_(static_cast<std::size_t>(setup.prefill_instances)),
        decoders_(static_cast<std::size_t>(setup.decode_instances)) {}

  void run() {
    std::size_t next = 0;
    while (true) {
      Worker* first = nullptr;
      for (std::vector<Worker>* group : {&prefillers_, &decoders_})
        for (Worker& worker : *group)
          if (worker.end_ms < never && (first == nullptr || worker.end_ms < first->end_ms)) first = &worker;
      if (next < requests_.size() && (first == nullptr || requests_[next].arrival_ms <= first->end_ms)) {
        const double now = requests_[next].arrival_ms;
        while (next < requests_.size() && requests_[next].arrival_ms == now) arrive(next++);
        wake(now);
      } else if (first != nullptr) {
        const double now = first->end_ms;
        finish(*first, now);
        start(*first, now);
        wake(now);
      } else {
        return;
      }
    }
  }

 private:
  void arrive(std::size_t request) {
    Worker* best = nullptr;
    const auto prompts = [](const Worker& worker) { return worker.prompts.size() + (worker.runs_prompts ? worker.running.size() : 0); };
    for (Worker& worker : prefillers_)
      if (best == nullptr || prompts(worker) < prompts(*best)) best = &worker;
    best->prompts.push_back(request);
  }

  void finish(Worker& worker, double now) {
    std::vector<std::size_t> ran;
    ran.swap(worker.running);
    worker.end_ms = never;
    for (const std::size_t request : ran) {
      if (worker.runs_prompts) {
        requests_[request].first_token_ms = now;
        if (requests_[request].decode_tokens == 0) requests_[request].end_ms = now;
        else decoder_for(worker).decodes.push_back(request);
      } else if (++done_[request] == requests_[request].decode_tokens) {
        requests_[request].end_ms = now;
      } else {
        worker.decodes.push_back(request);
      }
    }
    worker.runs_prompts = false;
  }

  Worker& decoder_for(Worker& prefiller) {
    if (decoders_.empty()) return prefiller;
    Worker* best = &decoders_[0];
    for (Worker& worker : decoders_)
      if (worker.decodes.size() < best->decodes.size()) best = &worker;
    return *best;
  }

  void wake(double now) {
    for (std::vector<Worker>* group : {&prefillers_, &decoders_})
      for (Worker& worker : *group)
        if (worker.end_ms == never) start(worker, now);
  }

  void start(Worker& worker, double now) {
    if (!worker.prompts.empty()) start_prompts(worker, now);
    else if (!worker.decodes.empty()) start_decodes(worker, now);
  }

  void start_prompts(Worker& worker, double now) {
    std::int64_t left = setup_.prefill_tokens;
    double sum = 0;
    double squares = 0;
    while (!worker.prompts.empty() && requests_[worker.prompts.front()].input_tokens <= left) {
      const std::size_t request = worker.prompts.front();
      worker.prompts.pop_front();
      worker.running.push_back(request);
      const double tokens = requests_[request].input_tokens;
      left -= requests_[request].input_tokens;
      sum += tokens;
      squares += tokens * tokens;
    }
    invariant(!worker.running.empty(), "every prompt fits a batch");
    worker.runs_prompts = true;
    worker.end_ms = now + setup_.prefill.a + setup_.prefill.b * sum + setup_.prefill.c * squares + setup_.overhead_ms + setup_.overhead_per_token_ms * sum;
  }

  void start_decodes(Worker& worker, double now) {
    std::int64_t left = setup_.context_tokens;
    double contexts = 0;
    while (!worker.decodes.empty()) {
      const std::size_t request = worker.decodes.front();
      const std::int64_t context = requests_[request].input_tokens + done_[request] + 1;
      if (context > left) break;
      left -= context;
      contexts += static_cast<double>(context);
      worker.running.push_back(request);
      worker.decodes.pop_front();
    }
    invariant(!worker.running.empty(), "every context fits an iteration");
    const auto sequences = static_cast<double>(worker.running.size());
    const DistServeLine& line = sequences < setup_.large_batch ? setup_.decode : setup_.large_decode;
    worker.end_ms = now + line.a + line.b * contexts + line.c * sequences + setup_.overhead_ms + setup_.overhead_per_token_ms * (contexts - sequences);
  }

  const DistServeSetup& setup_;
  std::vector<DistServeRequest>& requests_;
  std::vector<int> done_;  ///< Decode iterations of each request.
  std::vector<Worker> prefillers_;
  std::vector<Worker> decoders_;
};

}  // namespace

void run_plain_distserve(const DistServeSetup& setup, std::vector<DistServeRequest>& requests) { Loop(setup, requests).run(); }

}  // namespace rackwright::test
