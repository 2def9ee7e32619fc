#pragma once

#include <optional>
#include <string_view>

#include "models/hardware/number_format.h"

namespace rackwright::llm {

/// How weights lie in memory: the values, and the scales they share.
enum class WeightFormat {
  fp32,
  bf16,
  fp16,
  fp8,             ///< One scale per tensor or channel, too small to count.
  fp8_block128,    ///< One fp32 scale per 128 x 128 block (DeepSeek-V3 technical report, section 3.3.2).
  int8,            ///< One scale per channel, too small to count.
  int4_group128,   ///< One 16-bit scale and one 4-bit zero point per 128 values (AWQ, GPTQ).
  int4_group32,    ///< One 16-bit scale per 32 values.
  mxfp4,           ///< One 8-bit scale per 32 values (OCP Microscaling Formats, version 1.0, section 5).
  nvfp4,           ///< One 8-bit scale per 16 values (NVIDIA ModelOpt, group_size 16).
};

/// "fp8_block128".
std::string_view to_string(WeightFormat format);
std::optional<WeightFormat> weight_format(std::string_view name);

/// Bits of memory per weight, scales included.
double bits_per_weight(WeightFormat format);

/// The format of the multiplication. 4-bit formats without quantized activations (mxfp4, int4) are
/// unpacked to bf16 on the way.
hardware::NumberFormat arithmetic_format(WeightFormat format);

}  // namespace rackwright::llm
