#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "models/base/time.h"
#include "models/llm/kv_layout.h"
#include "sim/engine/engine.h"
#include "sim/serving/kv_transport.h"
#include "sim/serving/sequence.h"

namespace rackwright::serving {

/// How the KV of a pool's requests comes to it from where their prompts are computed.
struct KvTransferSpec {
  /// push  the decoding instance is chosen on arrival and takes blocks before the prompt is computed (SGLang, Dynamo)
  /// pull  it is chosen when the prompt is complete, takes blocks then, and fetches (vLLM's NIXL connector)
  enum class Initiative { push, pull };
  /// layerwise  each layer's KV leaves while the next layers are computed; only of what is pushed
  /// after      all of it leaves when the prompt is complete
  enum class When { layerwise, after };

  Initiative initiative = Initiative::pull;
  When when = When::after;
  llm::KvBytes bytes;          ///< As sent, with the copies that devices of the receiver share a head for.
  int layers = 1;
  SimTime latency;             ///< From the last byte's departure to the decoder's knowing of it.
  int copies = 1;              ///< Of one request's KV, one after another,
  std::int32_t local_prompt_tokens = 0;  ///< Prompts of fewer tokens are computed where they are decoded.
  std::int64_t spill_tokens = std::numeric_limits<std::int64_t>::max();  ///< So are others, while more wait at the prefill instance.
  SimTime wait_per_copy;       ///< each of which waits for the busy peer; the instance that computed it computes nothing then.
};

/// Sends KV of sequences to where they decode.
///
/// A step of duration T that computes c bytes of a sequence's KV on L layers has the first layer's after T / L. Layer by
/// layer, one flow carries them from then on, at c / T at most, so that at best c / L are left when the step ends; these go
/// uncapped. With nothing else on the way, a prompt of one step leaves exposed
///
///   max(c / L / W, c / W − T (L − 1) / L) + latency        (W bandwidth)
///
/// A flow that falls behind goes on under the next step. A cap follows the step as planned: a clock that changes within
/// it moves the step's end but not the cap. Recomputed KV (after a preemption) is not sent again.
class KvStreams final : private KvTransferHandler, private engine::EventHandler {
 public:
  /// `owner.on_kv_there(sequence)` is called when all of a completed sequence's KV is there.
  KvStreams(engine::Engine& engine, SequencePool& pool, KvTransport* transport, KvTransferHandler& owner)
      : engine_(engine), pool_(pool), transport_(transport), owner_(owner) {}

  /// A step begins after which `tokens` tokens of the sequence have KV. It goes from `from` to `to`.
  void produce(SequenceId id, const KvTransferSpec& spec, std::uint32_t from, std::uint32_t to, std::int32_t tokens, SimTime step);
  /// All its KV is computed, and its blocks are taken at `to`. Copies of other requests hold the sender until
  /// `held_until`; returns until when those of this one, which follow them, do.
  SimTime complete(SequenceId id, const KvTransferSpec& spec, std::uint32_t from, std::uint32_t to, SimTime held_until);
  /// It is not wanted any more. Nothing happens when none of it was sent.
  void drop(SequenceId id);

 private:
  struct Stream {
    double offered = 0;     ///< Bytes that exist by the end of the present step;
    double fresh = 0;       ///< of those, what the step computes, until its first layer is done,
    double left = 0;        ///< and what else is not sent, when no flow runs.
    std::uint64_t flow = 0;
    engine::EventId first_layer;
    SimTime step;           ///< Duration of the last one.
    int layers = 1;
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    SimTime after_flow;     ///< From the end of its flow until all is known to be there.
    bool is_complete = false;
  };

  Stream& stream(SequenceId id);
  /// Bytes not sent yet, with no flow running any more.
  double halt(Stream& stream);
  void send(Stream& stream, SequenceId id, double rate_cap);
  void on_kv_there(std::uint64_t sequence) override;
  void on_event(std::uint64_t token) override;

  engine::Engine& engine_;
  SequencePool& pool_;
  KvTransport* transport_;
  KvTransferHandler& owner_;
  std::vector<Stream> streams_;  ///< By sequence.
};

}  // namespace rackwright::serving
