#include "models/kernels/shapes/layer_cases.h"

#include <cmath>

#include "models/base/random.h"

namespace rackwright::kernels {
namespace {

const std::vector<int> token_grid{1,  2,  4,   8,   12,  16,  24,  32,  48,  64,   80,   96,   128,  192,  256,
                                  384, 512, 768, 1024, 1536, 2048, 3072, 4096, 8192, 16384};
const std::vector<int> coarse_tokens{1, 8, 32, 128, 512, 1024, 2048, 4096, 8192, 16384};
const std::vector<int> sampled_rows{1, 2, 4, 8, 16, 32, 64, 80, 128, 256, 512};

struct Heads {
  int q, kv;
};
constexpr Heads rope_heads[] = {{32, 8}, {32, 4}, {64, 8}, {8, 1}};
constexpr int head_dim = 128;

}  // namespace

std::string name_of(LayerOp op) {
  switch (op) {
    case LayerOp::residual_rmsnorm: return "residual_rmsnorm";
    case LayerOp::rmsnorm: return "rmsnorm";
    case LayerOp::silu_mul: return "silu_mul";
    case LayerOp::rope_kv_write: return "rope_kv_write";
    case LayerOp::embedding: return "embedding";
    case LayerOp::kv_gather: return "kv_gather";
    case LayerOp::kv_scatter: return "kv_scatter";
    case LayerOp::router_top8: return "router_top8";
    case LayerOp::moe_permute: return "moe_permute";
    case LayerOp::moe_combine: return "moe_combine";
    case LayerOp::argmax: return "argmax";
    case LayerOp::top_p_sample: return "top_p_sample";
    case LayerOp::read: return "read";
    case LayerOp::copy: return "copy";
  }
  return {};
}

std::vector<LayerCase> layer_grid() {
  std::vector<LayerCase> cases;
  const auto add = [&](LayerOp op, const std::vector<int>& tokens, std::initializer_list<int> widths) {
    for (int width : widths)
      for (int t : tokens) cases.push_back({op, t, width});
  };
  add(LayerOp::residual_rmsnorm, token_grid, {2048, 4096, 8192, 16384});
  add(LayerOp::rmsnorm, coarse_tokens, {4096, 8192});
  add(LayerOp::silu_mul, token_grid, {2048, 3584, 7168, 14336, 28672});
  for (const Heads& heads : rope_heads)
    for (int t : token_grid) cases.push_back({LayerOp::rope_kv_write, t, (heads.q + 2 * heads.kv) * head_dim, heads.q, heads.kv});
  add(LayerOp::embedding, coarse_tokens, {4096, 8192});
  add(LayerOp::kv_gather, {16, 64, 256, 1024, 4096, 16384}, {1024, 2048});
  add(LayerOp::kv_scatter, {16, 64, 256, 1024, 4096, 16384}, {1024, 2048});
  add(LayerOp::router_top8, coarse_tokens, {128, 256});
  add(LayerOp::moe_permute, coarse_tokens, {2048, 4096, 7168});
  add(LayerOp::moe_combine, coarse_tokens, {2048, 4096, 7168});
  add(LayerOp::argmax, sampled_rows, {128256, 64128, 151936});
  add(LayerOp::top_p_sample, {1, 8, 32, 80, 256}, {128256, 151936});
  add(LayerOp::read, {1024, 16384, 131072, 524288}, {4096});
  add(LayerOp::copy, {1024, 16384, 131072, 524288}, {4096});
  return cases;
}

std::vector<LayerCase> layer_off_grid(std::uint64_t seed, int count) {
  RandomStream random(seed, "layer", "off-grid");
  const auto log_uniform = [&](double low, double high) { return std::exp(std::lerp(std::log(low), std::log(high), random.uniform())); };
  std::vector<LayerCase> cases;
  for (int i = 0; i < count; ++i) {
    const int tokens = static_cast<int>(log_uniform(3, 12000));
    const int width = 64 * static_cast<int>(log_uniform(36, 220));
    switch (i % 3) {
      case 0: cases.push_back({LayerOp::residual_rmsnorm, tokens, width}); break;
      case 1: cases.push_back({LayerOp::silu_mul, tokens, width}); break;
      default: cases.push_back({LayerOp::rope_kv_write, tokens, 5120, 32, 4}); break;
    }
  }
  return cases;
}

}  // namespace rackwright::kernels
