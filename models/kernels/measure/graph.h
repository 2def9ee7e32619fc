#pragma once

#include <cuda_runtime.h>

#include <functional>

namespace rackwright::kernels {

/// A captured and instantiated CUDA graph.
class Graph {
 public:
  /// Captures what `enqueue` puts on `stream`. Throws DeviceError when something cannot be captured.
  Graph(cudaStream_t stream, const std::function<void()>& enqueue);
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  void launch(cudaStream_t stream) const;

 private:
  cudaGraphExec_t executable_ = nullptr;
};

}  // namespace rackwright::kernels
