#include "models/kernels/serve/kv_handover.h"

#include <algorithm>

#include "models/kernels/device/check.h"
#include "models/kernels/serve/run_clock.h"

namespace rackwright::kernels {
namespace {

constexpr int copies_per_prompt = 2 * ServingEngine::layers;

/// A run of tokens in the memory of the sender and of the receiver, in elements of a layer's keys.
struct Extent {
  std::size_t from = 0, to = 0, bytes = 0;
};

Extent extent_of(const StepPlan::Chunk& chunk, int first_token, std::size_t width, const KvReceiver& receiver) {
  const auto at = [&](int slot) { return (static_cast<std::size_t>(slot) * most_sequence_tokens + static_cast<std::size_t>(first_token)) * width; };
  const auto tokens = static_cast<std::size_t>(chunk.past + chunk.tokens - first_token);
  return {at(chunk.slot), at(receiver.slots[static_cast<std::size_t>(chunk.slot)]), tokens * width * sizeof(__nv_bfloat16)};
}

void tell(const StepPlan& plan, const KvHandover::Landed& landed) {
  for (const StepPlan::Chunk& chunk : plan.chunks)
    if (chunk.last) landed(chunk);
}

class LayeredCopies : public KvHandover {
 public:
  LayeredCopies(const ServingEngine& engine, const LayerEvents& written, const KvReceiver& receiver) : engine_(engine), written_(written), receiver_(receiver) {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    for (cudaEvent_t* event : {&computed_, &landed_}) check(cudaEventCreate(event));
  }
  ~LayeredCopies() override {
    cudaEventDestroy(landed_);
    cudaEventDestroy(computed_);
    cudaStreamDestroy(stream_);
  }

  void launched(const StepPlan& plan) override {
    check(cudaEventRecord(computed_, engine_.stream()));
    for (std::size_t layer = 0; layer < receiver_.layers.size(); ++layer) {
      check(cudaStreamWaitEvent(stream_, written_.all()[layer], 0));
      const LayerCache &from = engine_.caches()[layer], &to = receiver_.layers[layer];
      for (const StepPlan::Chunk& chunk : plan.chunks) {
        const Extent extent = extent_of(chunk, chunk.past, engine_.kv_width(), receiver_);
        check(cudaMemcpyAsync(to.keys + extent.to, from.keys + extent.from, extent.bytes, cudaMemcpyDefault, stream_));
        check(cudaMemcpyAsync(to.values + extent.to, from.values + extent.from, extent.bytes, cudaMemcpyDefault, stream_));
      }
    }
    check(cudaEventRecord(landed_, stream_));
  }

  double land(const StepPlan& plan, const Landed& landed) override {
    check(cudaEventSynchronize(computed_));
    check(cudaEventSynchronize(landed_));
    tell(plan, landed);
    float ms = 0;
    check(cudaEventElapsedTime(&ms, computed_, landed_));
    return std::max(0.0, 1e-3 * static_cast<double>(ms));
  }

 private:
  const ServingEngine& engine_;
  const LayerEvents& written_;
  const KvReceiver& receiver_;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t computed_ = nullptr;
  cudaEvent_t landed_ = nullptr;
};

class CopiesInTurn : public KvHandover {
 public:
  CopiesInTurn(const ServingEngine& engine, const KvReceiver& receiver, int from_device, int to_device)
      : engine_(engine), receiver_(receiver), from_device_(from_device), to_device_(to_device) {}

  void launched(const StepPlan&) override {}

  double land(const StepPlan& plan, const Landed& landed) override {
    const RunClock clock;
    tell(plan, [&](const StepPlan::Chunk& chunk) {
      copy(extent_of(chunk, 0, engine_.kv_width(), receiver_));
      landed(chunk);
    });
    return clock.now_s();
  }

 private:
  void copy(Extent extent) const {
    for (std::size_t layer = 0; layer < receiver_.layers.size(); ++layer) {
      const LayerCache &from = engine_.caches()[layer], &to = receiver_.layers[layer];
      check(cudaMemcpyPeer(to.keys + extent.to, to_device_, from.keys + extent.from, from_device_, extent.bytes));
      check(cudaMemcpyPeer(to.values + extent.to, to_device_, from.values + extent.from, from_device_, extent.bytes));
    }
  }

  const ServingEngine& engine_;
  const KvReceiver& receiver_;
  int from_device_, to_device_;
};

class WaitsInTurn : public KvHandover {
 public:
  explicit WaitsInTurn(double wait_per_copy_s) : wait_per_copy_s_(wait_per_copy_s) {}

  void launched(const StepPlan&) override {}

  double land(const StepPlan& plan, const Landed& landed) override {
    const RunClock clock;
    int prompts = 0;
    tell(plan, [&](const StepPlan::Chunk& chunk) {
      clock.wait_until(++prompts * copies_per_prompt * wait_per_copy_s_);
      landed(chunk);
    });
    return clock.now_s();
  }

 private:
  double wait_per_copy_s_;
};

class NoCopies : public KvHandover {
 public:
  void launched(const StepPlan&) override {}
  double land(const StepPlan& plan, const Landed& landed) override {
    tell(plan, landed);
    return 0;
  }
};

}  // namespace

LayerEvents::LayerEvents() {
  for (cudaEvent_t& event : events_) check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
}

LayerEvents::~LayerEvents() {
  for (const cudaEvent_t event : events_) cudaEventDestroy(event);
}

std::unique_ptr<KvHandover> layered_copies(const ServingEngine& engine, const LayerEvents& written, const KvReceiver& receiver) {
  return std::make_unique<LayeredCopies>(engine, written, receiver);
}

std::unique_ptr<KvHandover> copies_in_turn(const ServingEngine& engine, const KvReceiver& receiver, int from_device, int to_device) {
  return std::make_unique<CopiesInTurn>(engine, receiver, from_device, to_device);
}

std::unique_ptr<KvHandover> waits_in_turn(double wait_per_copy_s) { return std::make_unique<WaitsInTurn>(wait_per_copy_s); }

std::unique_ptr<KvHandover> no_copies() { return std::make_unique<NoCopies>(); }

}  // namespace rackwright::kernels
