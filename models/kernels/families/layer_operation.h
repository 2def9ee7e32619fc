#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/kernels/device/arena.h"
#include "models/kernels/device/check.h"
#include "models/kernels/measure/accuracy.h"
#include "models/kernels/measure/operation.h"
#include "models/kernels/shapes/layer_cases.h"

namespace rackwright::kernels {

/// Base of the memory-bound operators: one set of buffers (small ones stay in the L2 cache between
/// calls, as between the kernels of a layer), checked on the host in fp32 on a few rows.
class LayerOperation : public Operation {
 public:
  LayerOperation(Arena& arena, Accuracy& accuracy, const LayerCase& shape) : arena_(arena), accuracy_(accuracy), shape_(shape) {}
  int slots() const override { return 1; }
  double error(int slot, cudaStream_t stream) final;

 protected:
  using Row = std::vector<float>;

  /// Reference of one token's output row, from the inputs as they were before the launch.
  virtual Row expected_row(int token) = 0;
  /// The output that must be wholly written: `out_width` elements a token.
  virtual const __nv_bfloat16* output() const = 0;
  virtual int out_width() const { return shape_.width; }
  /// Elements at output() that must not be NaN after a launch.
  virtual std::size_t out_elements() const { return static_cast<std::size_t>(shape_.tokens) * out_width(); }
  virtual Row actual_row(int token) { return row(output(), token, out_width()); }

  __nv_bfloat16* take(std::size_t elements) { return arena_.take<__nv_bfloat16>(elements); }
  std::size_t elements() const { return static_cast<std::size_t>(shape_.tokens) * shape_.width; }
  /// A row of `width` elements, copied to the host. Waits for the device.
  static Row row(const __nv_bfloat16* matrix, std::size_t index, int width);
  template <class T>
  static std::vector<T> on_host(const T* from, std::size_t count) {
    std::vector<T> result(count);
    check(cudaMemcpy(result.data(), from, count * sizeof(T), cudaMemcpyDeviceToHost));
    return result;
  }
  std::vector<int> sampled_tokens() const { return {0, shape_.tokens / 2, shape_.tokens - 1}; }

  Arena& arena_;
  Accuracy& accuracy_;
  LayerCase shape_;
};

/// Throws DeviceError for a shape that the kernel does not support.
std::unique_ptr<Operation> make_layer_operation(Arena& arena, Accuracy& accuracy, const LayerCase& shape);

}  // namespace rackwright::kernels
