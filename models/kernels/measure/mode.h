#pragma once

namespace rackwright::kernels {

/// How timed calls come to a device, as the `mode` column of a profile says it.
enum class Mode {
  graph,  ///< As nodes of a CUDA graph.
  eager,  ///< Launched one by one.
};

constexpr const char* name_of(Mode mode) { return mode == Mode::graph ? "graph" : "eager"; }

}  // namespace rackwright::kernels
