#include "models/kernels/serve/landing_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/kernels/device/check.h"

namespace rackwright::kernels {
namespace {

constexpr int sender_slot = 3, receiver_slot = 0, tokens = 700;
/// Whose tokens no other check put into that slot.
constexpr int request = 77;
/// Every byte of what no copy has reached; as bf16 0.0115, which does no harm where it stays.
constexpr unsigned char untouched = 0x3c;
constexpr unsigned short untouched_value = 0x3c3c;

std::vector<unsigned short> bits(const __nv_bfloat16* from, std::size_t count) {
  std::vector<unsigned short> values(count);
  check(cudaMemcpy(values.data(), from, count * sizeof values[0], cudaMemcpyDefault));
  return values;
}

}  // namespace

void check_landing(ServingEngine& engine, KvHandover& kv, KvReceiver& receiver) {
  const std::size_t width = engine.kv_width(), written = tokens * width;
  const auto part = [&](const __nv_bfloat16* cache, int slot) { return cache + static_cast<std::size_t>(slot) * most_sequence_tokens * width; };
  const std::vector<unsigned char> blank((written + width) * sizeof(__nv_bfloat16), untouched);
  for (const LayerCache& layer : receiver.layers)
    for (__nv_bfloat16* cache : {layer.keys, layer.values})
      check(cudaMemcpy(cache + (part(cache, receiver_slot) - cache), blank.data(), blank.size(), cudaMemcpyDefault));
  receiver.slots[sender_slot] = receiver_slot;
  StepPlan plan;
  plan.chunks = {{sender_slot, request, 0, tokens, true}};
  engine.start(plan);
  kv.launched(plan);
  engine.finish();
  kv.land(plan, [](const StepPlan::Chunk&) {});
  const auto compare = [&](const __nv_bfloat16* from, const __nv_bfloat16* to, std::size_t layer) {
    const auto sent = bits(part(from, sender_slot), written), landed = bits(part(to, receiver_slot), written + width);
    if (!std::equal(sent.begin(), sent.end(), landed.begin())) throw DeviceError(fmt::format("keys or values of layer {} did not land as they were written", layer));
    if (std::any_of(landed.begin() + static_cast<std::ptrdiff_t>(written), landed.end(), [](unsigned short value) { return value != untouched_value; }))
      throw DeviceError(fmt::format("what lies behind the keys or values of layer {} was overwritten", layer));
  };
  for (std::size_t layer = 0; layer < receiver.layers.size(); ++layer) {
    compare(engine.caches()[layer].keys, receiver.layers[layer].keys, layer);
    compare(engine.caches()[layer].values, receiver.layers[layer].values, layer);
  }
}

}  // namespace rackwright::kernels
