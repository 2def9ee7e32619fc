#include "models/hardware/device_spec.h"

#include "models/base/invariant.h"

namespace rackwright::hardware {

std::string_view to_string(DeviceClass device_class) {
  switch (device_class) {
    case DeviceClass::gpu: return "gpu";
    case DeviceClass::tpu: return "tpu";
    case DeviceClass::sram: return "sram";
    case DeviceClass::cpu: return "cpu";
    case DeviceClass::npu: return "npu";
  }
  invariant(false, "a device class has a name");
  return {};
}

std::optional<double> rate_of(const PeakRates& rates, NumberFormat format) {
  switch (format) {
    case NumberFormat::fp32: return rates.fp32_flop_per_s;
    case NumberFormat::bf16: return rates.bf16_flop_per_s;
    case NumberFormat::fp16: return rates.fp16_flop_per_s ? rates.fp16_flop_per_s : rates.bf16_flop_per_s;
    case NumberFormat::fp8: return rates.fp8_flop_per_s;
    case NumberFormat::fp6: return rates.fp6_flop_per_s;
    case NumberFormat::fp4: return rates.fp4_flop_per_s;
    case NumberFormat::int8: return rates.int8_op_per_s;
    case NumberFormat::int4: return rates.int4_op_per_s;
  }
  invariant(false, "a number format has a rate field");
  return {};
}

NumberFormat multiplied_format(const PeakRates& rates, NumberFormat format) {
  if (rate_of(rates, format) || rates.bf16_flop_per_s) return rate_of(rates, format) ? format : NumberFormat::bf16;
  switch (format) {
    case NumberFormat::int4: return NumberFormat::int8;
    case NumberFormat::fp6:
    case NumberFormat::fp4: return NumberFormat::fp8;
    default: return NumberFormat::bf16;
  }
}

std::optional<double> multiplying_rate(const PeakRates& rates, NumberFormat format) {
  return rate_of(rates, multiplied_format(rates, format));
}

}  // namespace rackwright::hardware
