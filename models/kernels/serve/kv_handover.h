#pragma once

#include <array>
#include <functional>
#include <memory>

#include "models/kernels/serve/serving_engine.h"

namespace rackwright::kernels {

/// One event a layer, for the engine to record and for copies to wait for. Its device is current where it is made.
class LayerEvents {
 public:
  LayerEvents();
  ~LayerEvents();
  LayerEvents(const LayerEvents&) = delete;
  LayerEvents& operator=(const LayerEvents&) = delete;

  std::span<const cudaEvent_t> all() const { return events_; }

 private:
  std::array<cudaEvent_t, ServingEngine::layers> events_{};
};

/// Where keys and values go: the memory of each layer, and for each of the sender's slots the receiver's.
struct KvReceiver {
  std::vector<LayerCache> layers;
  std::array<int, most_sequences> slots{};
};

/// How the keys and values of prompts reach the side that decodes.
class KvHandover {
 public:
  virtual ~KvHandover() = default;
  /// A step of prompts alone was launched; the receiver's slots of its chunks are set.
  virtual void launched(const StepPlan& plan) = 0;
  using Landed = std::function<void(const StepPlan::Chunk&)>;
  /// It ended. Tells of each prompt that it completed when all its keys and values have landed. Returns after the last: seconds after the
  /// step's last kernel.
  virtual double land(const StepPlan& plan, const Landed& landed) = 0;
};

/// A copy engine takes each layer's keys and values when they are written, under the layers after it.
/// `receiver` is read at every step. The sender's device is current.
std::unique_ptr<KvHandover> layered_copies(const ServingEngine& engine, const LayerEvents& written, const KvReceiver& receiver);

/// The host copies both of each layer between devices, one after the other, when a prompt is complete: each waits for what both devices
/// have been given to do (cudaMemcpyPeer), and so does the next prompt.
std::unique_ptr<KvHandover> copies_in_turn(const ServingEngine& engine, const KvReceiver& receiver, int from_device, int to_device);

/// Nothing is copied: for each prompt that is complete the host waits that long for each of as many copies.
std::unique_ptr<KvHandover> waits_in_turn(double wait_per_copy_s);

/// Nothing is copied and nothing waits.
std::unique_ptr<KvHandover> no_copies();

}  // namespace rackwright::kernels
