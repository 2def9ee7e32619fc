#pragma once

#include <optional>
#include <string>

#include "models/cost/transfer_mechanism.h"
#include "models/hardware/number_format.h"

namespace rackwright::scenarios {

/// What part of a request's work the instances of a pool do.
enum class PoolRole { mixed, prefill, decode, draft, attention, ffn };

/// How KV comes to a decode pool from where the prompts are computed.
struct KvTransferSpec {
  enum class Initiative { push, pull };
  enum class When { layerwise, after };

  Initiative initiative = Initiative::push;
  When when = When::layerwise;  ///< `after` for what is pulled.
  std::optional<double> bytes_per_s;  ///< Of an instance's way in, and out; absent: over the network of the hall.
  std::optional<cost::TransferMechanism> mechanism;  ///< Absent: what the way takes.
  double latency_s = 0;
  int copies = 1;
  double wait_per_copy_s = 0;
  int local_prompts_below = 0;     ///< Tokens.
  std::optional<int> spill_above;  ///< Prompt tokens that wait at a prefill instance.
};

/// The side of an attention pool or of the feed-forward pool that serves it.
struct LayerSideSpec {
  int instances = 1;       ///< Of this side; they move together.
  int micro_batches = 1;   ///< Of an attention instance.
  std::string serves;      ///< The attention pool, by name; "" for one itself.
  std::optional<double> bytes_per_s;  ///< Of one instance, each way; absent: over the network of the hall.
  std::optional<cost::TransferMechanism> mechanism;
  double latency_s = 0;
  std::optional<hardware::NumberFormat> send;
  std::optional<hardware::NumberFormat> back;
  double expert_imbalance = 1;
};

}  // namespace rackwright::scenarios
