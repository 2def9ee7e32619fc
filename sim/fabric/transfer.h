#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/engine/engine.h"
#include "topologies/graph/index.h"

namespace rackwright::fabric {

struct TransferId { std::uint64_t value = 0; };  ///< 0 is no transfer.

struct TransferRequest {
  topologies::VertexIndex from;
  topologies::VertexIndex to;
  double bytes = 0;          ///< At least 0.
  double rate_cap = 0;       ///< Bytes per second; 0 means none.
  std::uint64_t flow = 0;    ///< What the hash of equal-cost paths sees.
  double start_s = 0;        ///< Before the first byte leaves, beside the latency of the path.
  std::vector<engine::LinkId> ports{};  ///< Links of the engine beside the path, such as the ports of a set of devices.
  engine::RateReports reports = engine::RateReports::all;
};

class TransferHandler {
 public:
  virtual ~TransferHandler() = default;
  virtual void on_transfer_done(TransferId transfer, std::uint64_t token) = 0;
  /// Bytes per second from now on; 0 while its path is down and no other is found. Only when the rate differs.
  virtual void on_transfer_rate(TransferId, std::uint64_t, double) {}
};

/// Told what was carried over the links of a path, when a transfer ends, is cancelled or takes another path.
class CarriedWatcher {
 public:
  virtual ~CarriedWatcher() = default;
  virtual void on_carried(std::span<const topologies::LinkIndex> links, double bytes, SimTime from, SimTime to) = 0;
};

}  // namespace rackwright::fabric
