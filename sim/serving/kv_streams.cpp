#include "sim/serving/kv_streams.h"

#include <algorithm>

#include "models/base/invariant.h"
#include "models/base/saturating.h"

namespace rackwright::serving {
namespace {

// An event is a kind above 32 bits of the sequence that it is about.
enum EventKind : std::uint64_t { all_there, first_layer };
constexpr std::uint64_t token(EventKind kind, SequenceId id) { return kind << 32 | id; }

}  // namespace

KvStreams::Stream& KvStreams::stream(SequenceId id) {
  if (id >= streams_.size()) streams_.resize(id + 1);
  return streams_[id];
}

double KvStreams::halt(Stream& stream) {
  engine_.cancel(stream.first_layer);
  if (stream.flow != 0) stream.left = transport_->stop(stream.flow);
  stream.flow = 0;
  stream.left += stream.fresh;
  stream.fresh = 0;
  return stream.left;
}

void KvStreams::send(Stream& stream, SequenceId id, double rate_cap) {
  stream.flow = transport_->start({pool_[id].request, stream.from, stream.to, stream.left, rate_cap}, *this, id);
}

void KvStreams::produce(SequenceId id, const KvTransferSpec& spec, std::uint32_t from, std::uint32_t to, std::int32_t tokens,
                        SimTime step) {
  Stream& stream = this->stream(id);
  stream.fresh = std::max(spec.bytes.of(tokens) - stream.offered, 0.0);
  stream.offered += stream.fresh;
  stream.step = step;
  stream.layers = spec.layers;
  stream.from = from;
  stream.to = to;
  if (spec.layers == 1) return;
  const SimTime first_layer_done = engine_.now() + SimTime{step.ps / spec.layers};
  stream.first_layer = engine_.at(first_layer_done, engine::Phase::transfer, to, *this, token(first_layer, id));
}

SimTime KvStreams::complete(SequenceId id, const KvTransferSpec& spec, std::uint32_t from, std::uint32_t to, SimTime held_until) {
  Stream& stream = this->stream(id);
  invariant(!stream.is_complete, "a prompt is complete once");
  halt(stream);
  stream.left += std::max(spec.bytes.of(pool_[id].computed) - stream.offered, 0.0);
  stream.is_complete = true;
  stream.from = from;
  stream.to = to;

  // Under the step, copies of all layers but the last have waited already, as far as it was long enough.
  const SimTime waits = saturating_product(spec.wait_per_copy, spec.copies);
  const bool is_layerwise = spec.when == KvTransferSpec::When::layerwise;
  const SimTime hidden{is_layerwise ? stream.step.ps / spec.layers * (spec.layers - 1) : 0};
  const SimTime last_layer{is_layerwise ? waits.ps / spec.layers : 0};
  const SimTime held = saturating_sum(std::max(held_until, engine_.now()), std::max(waits - hidden, last_layer));
  stream.after_flow = saturating_sum(spec.latency, held == SimTime::max() ? held : held - engine_.now());
  send(stream, id, 0);
  return held;
}

void KvStreams::drop(SequenceId id) {
  if (id >= streams_.size()) return;
  invariant(!streams_[id].is_complete, "what is complete is sent to its end");
  halt(streams_[id]);
  streams_[id] = {};
}

void KvStreams::on_kv_there(std::uint64_t sequence) {
  Stream& stream = streams_[sequence];
  const auto id = static_cast<SequenceId>(sequence);
  stream.flow = 0;
  stream.left = 0;
  if (!stream.is_complete) return;
  if (stream.after_flow.ps == 0) on_event(token(all_there, id));
  else engine_.at(saturating_sum(engine_.now(), stream.after_flow), engine::Phase::transfer, stream.to, *this, token(all_there, id));
}

void KvStreams::on_event(std::uint64_t token) {
  const auto id = static_cast<SequenceId>(token);
  Stream& stream = streams_[id];
  if (static_cast<EventKind>(token >> 32) == all_there) {
    stream = {};
    owner_.on_kv_there(id);
    return;
  }
  // What was left before goes under the other layers too.
  const double step_s = stream.step.seconds();
  const double fresh = stream.fresh;
  stream.first_layer = {};
  const double behind = halt(stream) - fresh;
  send(stream, id, behind * stream.layers / (step_s * (stream.layers - 1)) + fresh / step_s);
}

}  // namespace rackwright::serving
