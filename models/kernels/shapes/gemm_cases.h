#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/kernels/shapes/model_shapes.h"

namespace rackwright::kernels {

enum class OperandType { bf16, fp8_e4m3 };
std::string name_of(OperandType type);
inline int bytes_of(OperandType type) { return type == OperandType::bf16 ? 2 : 1; }

/// y[m, n] = x[m, k] · W[n, k]ᵀ.
struct GemmCase {
  OperandType type = OperandType::bf16;
  int m = 0;
  int n = 0;
  int k = 0;
};

/// Experts of one device with `rows` of them in all, split by `routing`.
struct GroupedGemmCase {
  int experts = 0;
  int rows = 0;
  bool zipf = false;  ///< Rows in proportion to 1/rank instead of alike.
  int n = 0;
  int k = 0;
  /// Rows of each expert; they sum to `rows`.
  std::vector<int> rows_per_expert() const;
};

/// The measured grid: a fine one in m for the shards of Llama-3.1-8B on one and 70B on two devices
/// (every sum of a decode and a prefill graph bucket up to 2128 tokens), a coarse one for the others.
std::vector<GemmCase> gemm_grid();
std::vector<GroupedGemmCase> grouped_gemm_grid();

/// Shapes between and beside the grid's, for checks only: half with weights of the grid and m off it,
/// half with weights off it too. The same seed gives the same shapes.
std::vector<GemmCase> gemm_off_grid(std::uint64_t seed, int count);

}  // namespace rackwright::kernels
