#include "models/kernels/measure/graph.h"

#include "models/kernels/device/check.h"

namespace rackwright::kernels {

Graph::Graph(cudaStream_t stream, const std::function<void()>& enqueue) {
  // Thread-local: the other GPU's thread may call the driver meanwhile.
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  cudaGraph_t graph = nullptr;
  try {
    enqueue();
  } catch (...) {
    cudaStreamEndCapture(stream, &graph);
    if (graph) cudaGraphDestroy(graph);
    cudaGetLastError();
    throw;
  }
  check(cudaStreamEndCapture(stream, &graph));
  const cudaError_t status = cudaGraphInstantiate(&executable_, graph, 0);
  cudaGraphDestroy(graph);
  check(status);
}

Graph::~Graph() { cudaGraphExecDestroy(executable_); }

void Graph::launch(cudaStream_t stream) const { check(cudaGraphLaunch(executable_, stream)); }

}  // namespace rackwright::kernels
