#pragma once

#include <string_view>

namespace rackwright::hardware {

/// A format in which a device multiplies. Weights stored with block scales (MXFP4, NVFP4) are
/// multiplied in one of these.
enum class NumberFormat { fp32, bf16, fp16, fp8, fp6, fp4, int8, int4 };

/// "bf16".
std::string_view to_string(NumberFormat format);

/// Bits of one value, without any scale.
int bits(NumberFormat format);

}  // namespace rackwright::hardware
