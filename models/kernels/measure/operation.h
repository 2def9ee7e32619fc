#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace rackwright::kernels {

/// One shape of one operator, with its buffers, ready to be checked and timed.
///
/// Several slots hold independent inputs, together larger than the L2 cache where the operator meets
/// cold data in a model (weights, KV pages), so that rotating over them measures memory and not cache.
class Operation {
 public:
  virtual ~Operation() = default;
  virtual int slots() const = 0;
  /// Fresh random inputs in every slot; outputs become NaN. Asynchronous.
  virtual void refresh(std::uint64_t seed, cudaStream_t stream) = 0;
  /// Asynchronous; may be captured into a graph.
  virtual void launch(int slot, cudaStream_t stream) = 0;
  /// ‖out − reference‖ / ‖reference‖ over sampled elements of the last launch of `slot`; NaN when any
  /// output element stayed unwritten. Waits for the stream.
  virtual double error(int slot, cudaStream_t stream) = 0;
  /// bf16 results of sums in another order than the reference's.
  virtual double tolerance() const { return 1e-2; }
};

}  // namespace rackwright::kernels
