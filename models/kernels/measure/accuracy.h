#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <span>

namespace rackwright::kernels {

/// Pairs of an output element and its reference, filled by reference kernels and compared here.
class Accuracy {
 public:
  static constexpr int capacity = 1 << 16;

  Accuracy();
  ~Accuracy();
  Accuracy(const Accuracy&) = delete;
  Accuracy& operator=(const Accuracy&) = delete;

  float* actual() const { return actual_; }
  float* expected() const { return expected_; }

  /// Whether any of the `count` elements at `whole` is NaN. Waits for the stream.
  bool has_nan(const __nv_bfloat16* whole, std::size_t count, cudaStream_t stream);

  /// ‖actual − expected‖ / ‖expected‖ over the first `samples` pairs, NaN when any of the `count`
  /// elements at `whole` is NaN or any pair is. Waits for the stream.
  double relative_error(int samples, const __nv_bfloat16* whole, std::size_t count, cudaStream_t stream);

 private:
  float* actual_ = nullptr;
  float* expected_ = nullptr;
  int* unwritten_ = nullptr;
};

/// ‖actual − expected‖ / ‖expected‖.
double relative_error(std::span<const float> actual, std::span<const float> expected);

}  // namespace rackwright::kernels
