#include "models/kernels/families/step_layer.h"

#include <cmath>

#include "models/kernels/measure/random_fill.h"
#include "models/kernels/operators/layer_kernels.h"

namespace rackwright::kernels {
namespace {

/// Takes and fills a weight matrix, scaled as in GemmOperation.
__nv_bfloat16* weight(Arena& arena, WeightShape shape, std::uint64_t seed, cudaStream_t stream) {
  const std::size_t count = static_cast<std::size_t>(shape.n) * shape.k;
  auto* result = arena.take<__nv_bfloat16>(count);
  fill_normal(result, count, 1 / std::sqrt(static_cast<float>(shape.k)), seed, stream);
  return result;
}

}  // namespace

GemmCase step_product(int rows, WeightShape weight) { return {OperandType::bf16, rows, weight.n, weight.k}; }

StepWeights::StepWeights(Arena& arena, const Shard& shard, int count, std::uint64_t seed, cudaStream_t stream) {
  const WeightShape norm{shard.model.hidden, 1};
  const auto next = [&](WeightShape shape) { return weight(arena, shape, ++seed, stream); };
  for (int i = 0; i < count; ++i)
    layers.push_back({next(norm), next(shard.qkv()), next(shard.attention_out()), next(norm), next(shard.gate_up()), next(shard.down())});
  table = next({shard.model.vocabulary, shard.model.hidden});
  head = next(shard.lm_head());
  final_norm = next(norm);
}

StepActivations::StepActivations(Arena& arena, const Shard& shard, int rows) {
  const auto take = [&](int width) { return arena.take<__nv_bfloat16>(static_cast<std::size_t>(rows) * width); };
  const int hidden = shard.model.hidden, heads = shard.q_heads() * shard.model.head_dim;
  residual = take(hidden);
  x = take(hidden);
  joint = take(shard.qkv_width());
  q = take(heads);
  attended = take(heads);
  gates = take(2 * shard.ffn());
  activated = take(shard.ffn());
  projected = take(hidden);
}

StepProducts::StepProducts(const BlasLt& blas, const Shard& shard, int count)
    : rows(count),
      qkv(blas, step_product(count, shard.qkv())),
      attention_out(blas, step_product(count, shard.attention_out())),
      gate_up(blas, step_product(count, shard.gate_up())),
      down(blas, step_product(count, shard.down())) {}

void launch_layer(const Shard& shard, const StepWeights& weights, std::size_t layer, const StepActivations& a, const StepProducts& products,
                  const KvPlaces& places, const LayerHooks& hooks, cudaStream_t stream) {
  const StepWeights::Layer& w = weights.layers[layer];
  const int rows = products.rows, hidden = shard.model.hidden;
  residual_rmsnorm(layer == 0 ? nullptr : a.projected, a.residual, w.input_norm, a.x, rows, hidden, stream);
  products.qkv.run(a.x, w.qkv, a.joint, stream);
  rope_kv_write(a.joint, places.positions, places.slots, a.q, places.keys, places.values, rows, shard.q_heads(), shard.kv_heads(), stream);
  hooks.attention();
  products.attention_out.run(a.attended, w.attention_out, a.projected, stream);
  if (hooks.sum_partial) hooks.sum_partial();
  residual_rmsnorm(a.projected, a.residual, w.post_norm, a.x, rows, hidden, stream);
  products.gate_up.run(a.x, w.gate_up, a.gates, stream);
  silu_mul(a.gates, a.activated, rows, shard.ffn(), stream);
  products.down.run(a.activated, w.down, a.projected, stream);
  if (hooks.sum_partial) hooks.sum_partial();
}

}  // namespace rackwright::kernels
