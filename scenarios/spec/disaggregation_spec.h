#pragma once

#include <optional>

namespace rackwright::scenarios {

/// What part of a request's work the instances of a pool do.
enum class PoolRole { mixed, prefill, decode };

/// How KV comes to a decode pool from where the prompts are computed.
struct KvTransferSpec {
  enum class Initiative { push, pull };
  enum class When { layerwise, after };

  Initiative initiative = Initiative::push;
  When when = When::layerwise;  ///< `after` for what is pulled.
  std::optional<double> bytes_per_s;  ///< Of an instance's way in, and out; absent: that of its scale-up links.
  double latency_s = 0;
  int copies = 1;
  double wait_per_copy_s = 0;
};

}  // namespace rackwright::scenarios
