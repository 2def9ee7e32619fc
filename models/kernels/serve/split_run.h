#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <vector>

#include "models/kernels/serve/kv_handover.h"
#include "models/kernels/serve/serving_run.h"

namespace rackwright::kernels {

/// The side of the prompts: hands over keys and values, and notes when they have landed.
class PromptSide : public RunHooks {
 public:
  /// The receiver's slot for a prompt that begins.
  using Reserve = std::function<int()>;
  /// A request's keys and values have landed in that slot.
  using Deliver = std::function<void(std::size_t request, double landed_s, int slot)>;

  /// `receiver` is the one that `kv` sends to.
  PromptSide(const RunClock& clock, KvHandover& kv, KvReceiver& receiver, std::size_t requests, Reserve reserve, Deliver deliver);

  void launched(const StepPlan& plan) override;
  void ended(const StepPlan& plan, ServedStep& step) override;
  const std::vector<double>& landed_s() const { return landed_s_; }

 private:
  const RunClock& clock_;
  KvHandover& kv_;
  KvReceiver& receiver_;
  Reserve reserve_;
  Deliver deliver_;
  std::vector<double> landed_s_;
};

/// Requests on their way from the thread of one GPU to that of the other.
class Handovers {
 public:
  struct Handover {
    std::size_t request = 0;
    double landed_s = 0;
    int slot = 0;
  };
  void push(const Handover& handover);
  std::vector<Handover> take_all();

 private:
  std::mutex mutex_;
  std::vector<Handover> waiting_;
};

/// The side of the tokens: takes in what was handed over before each step. Throws DeviceError once `lost` is set: nothing more will come.
class TokenSide : public RunHooks {
 public:
  /// `order`: the scheduler's request of each one of the list.
  TokenSide(BatchScheduler& scheduler, Handovers& handovers, std::vector<std::size_t> order, const std::atomic<bool>& lost)
      : scheduler_(scheduler), handovers_(handovers), order_(std::move(order)), lost_(lost) {}

  void planning() override;

 private:
  BatchScheduler& scheduler_;
  Handovers& handovers_;
  std::vector<std::size_t> order_;
  const std::atomic<bool>& lost_;
};

}  // namespace rackwright::kernels
