#pragma once

#include "models/kernels/serve/kv_handover.h"

namespace rackwright::kernels {

/// Computes a prompt and holds what the receiver has of it against what the sender wrote: each layer's keys and values bit for bit, and
/// the token behind them untouched. Throws DeviceError when they differ.
void check_landing(ServingEngine& engine, KvHandover& kv, KvReceiver& receiver);

}  // namespace rackwright::kernels
