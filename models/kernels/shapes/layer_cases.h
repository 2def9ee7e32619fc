#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rackwright::kernels {

enum class LayerOp {
  residual_rmsnorm, rmsnorm, silu_mul, rope_kv_write, embedding, kv_gather, kv_scatter,
  router_top8, moe_permute, moe_combine, argmax, top_p_sample, read, copy,
};
std::string name_of(LayerOp op);

/// `tokens` rows of `width` elements; what the width counts is said in profiles/FORMAT.md.
struct LayerCase {
  LayerOp op = LayerOp::copy;
  int tokens = 0;
  int width = 0;
  int q_heads = 0;   ///< rope_kv_write only.
  int kv_heads = 0;  ///< rope_kv_write only.
};

std::vector<LayerCase> layer_grid();
/// Shapes between the grid's, for checks only; the same seed gives the same shapes.
std::vector<LayerCase> layer_off_grid(std::uint64_t seed, int count);

}  // namespace rackwright::kernels
