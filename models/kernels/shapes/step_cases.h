#pragma once

#include <string>
#include <vector>

#include "models/kernels/shapes/model_shapes.h"

namespace rackwright::kernels {

/// One forward pass: `decode` sequences of `context` tokens each beside one prompt chunk of `prefill`
/// tokens after `past` (0: no chunk), through `layers` layers and the LM head.
struct StepCase {
  Shard shard;
  int layers = 0;
  int decode = 0;
  int context = 0;
  int prefill = 0;
  int past = 0;

  int tokens() const { return decode + prefill; }
  int logit_rows() const { return decode + (prefill > 0 ? 1 : 0); }
  /// "llama-3.1-8b", "llama-3.1-70b-tp2".
  std::string model_name() const;
  /// Multiply-adds times two, and the bytes that must move at least: weights once, KV once.
  double flops() const;
  double bytes() const;
};

/// All buckets of decode alone, of prefill alone, and some of both, for Llama-3.1-8B on one device; a
/// coarser set for one rank of 70B on two, ten of its layers.
std::vector<StepCase> step_grid();
/// The part of it whose power is measured.
std::vector<StepCase> step_power_cases();

/// All layers of 70B over two devices.
std::vector<StepCase> pair_step_grid();
std::vector<StepCase> pair_power_cases();

}  // namespace rackwright::kernels
