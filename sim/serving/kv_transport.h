#pragma once

#include <cstdint>

namespace rackwright::serving {

/// The KV of one request on its way from the instance that computed its prompt to the one that decodes.
struct KvTransfer {
  std::uint64_t request = 0;
  std::uint32_t from = 0;  ///< Instances, over all of the run.
  std::uint32_t to = 0;
  std::int64_t tokens = 0;
  double bytes = 0;
};

class KvTransferHandler {
 public:
  virtual ~KvTransferHandler() = default;
  virtual void on_kv_there(std::uint64_t token) = 0;
};

/// Carries KV between instances: over the fabric, where transfers share links, or in a set time.
class KvTransport {
 public:
  virtual ~KvTransport() = default;
  /// Calls the handler once, at the instant at which all is there, in `Phase::transfer`.
  virtual void start(const KvTransfer& transfer, KvTransferHandler& handler, std::uint64_t token) = 0;
};

}  // namespace rackwright::serving
