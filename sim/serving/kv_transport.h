#pragma once

#include <cstdint>

namespace rackwright::serving {

/// KV of one request on its way from the instance that computed it to the one that decodes.
struct KvTransfer {
  std::uint64_t request = 0;
  std::uint32_t from = 0;  ///< Instances, over all of the run.
  std::uint32_t to = 0;
  double bytes = 0;
  double rate_cap = 0;  ///< Bytes per second; 0 means none.
};

class KvTransferHandler {
 public:
  virtual ~KvTransferHandler() = default;
  virtual void on_kv_there(std::uint64_t token) = 0;
};

/// Carries KV between instances: over links that transfers share, or in a set time.
class KvTransport {
 public:
  virtual ~KvTransport() = default;
  /// Calls the handler once, at the instant at which all is there, in `Phase::transfer`. Returns what `stop` takes, never 0.
  virtual std::uint64_t start(const KvTransfer& transfer, KvTransferHandler& handler, std::uint64_t token) = 0;
  /// Ends a transfer whose handler has not been called, and says how many of its bytes are not there.
  virtual double stop(std::uint64_t transfer) = 0;
};

}  // namespace rackwright::serving
