#include "models/kernels/serve/split_run.h"

#include <utility>

#include "models/kernels/device/check.h"

namespace rackwright::kernels {

PromptSide::PromptSide(const RunClock& clock, KvHandover& kv, KvReceiver& receiver, std::size_t requests, Reserve reserve, Deliver deliver)
    : clock_(clock), kv_(kv), receiver_(receiver), reserve_(std::move(reserve)), deliver_(std::move(deliver)), landed_s_(requests, -1) {}

void PromptSide::launched(const StepPlan& plan) {
  for (const StepPlan::Chunk& chunk : plan.chunks)
    if (chunk.past == 0) receiver_.slots[static_cast<std::size_t>(chunk.slot)] = reserve_();
  kv_.launched(plan);
}

void PromptSide::ended(const StepPlan& plan, ServedStep& step) {
  step.exposed_s = kv_.land(plan, [&](const StepPlan::Chunk& chunk) {
    const auto request = static_cast<std::size_t>(chunk.request);
    landed_s_[request] = clock_.now_s();
    deliver_(request, landed_s_[request], receiver_.slots[static_cast<std::size_t>(chunk.slot)]);
  });
}

void Handovers::push(const Handover& handover) {
  const std::lock_guard lock(mutex_);
  waiting_.push_back(handover);
}

std::vector<Handovers::Handover> Handovers::take_all() {
  const std::lock_guard lock(mutex_);
  return std::exchange(waiting_, {});
}

void TokenSide::planning() {
  if (lost_) throw DeviceError("the other GPU gave up");
  for (const Handovers::Handover& handover : handovers_.take_all()) scheduler_.arrive(order_[handover.request], handover.landed_s, handover.slot);
}

}  // namespace rackwright::kernels
