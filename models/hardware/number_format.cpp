#include "models/hardware/number_format.h"

#include "models/base/invariant.h"

namespace rackwright::hardware {

std::string_view to_string(NumberFormat format) {
  switch (format) {
    case NumberFormat::fp32: return "fp32";
    case NumberFormat::bf16: return "bf16";
    case NumberFormat::fp16: return "fp16";
    case NumberFormat::fp8: return "fp8";
    case NumberFormat::fp6: return "fp6";
    case NumberFormat::fp4: return "fp4";
    case NumberFormat::int8: return "int8";
    case NumberFormat::int4: return "int4";
  }
  invariant(false, "a number format has a name");
  return {};
}

int bits(NumberFormat format) {
  switch (format) {
    case NumberFormat::fp32: return 32;
    case NumberFormat::bf16:
    case NumberFormat::fp16: return 16;
    case NumberFormat::fp8:
    case NumberFormat::int8: return 8;
    case NumberFormat::fp6: return 6;
    case NumberFormat::fp4:
    case NumberFormat::int4: return 4;
  }
  invariant(false, "a number format has a width");
  return 0;
}

}  // namespace rackwright::hardware
