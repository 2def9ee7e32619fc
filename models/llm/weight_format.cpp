#include "models/llm/weight_format.h"

#include <array>

namespace rackwright::llm {
namespace {

using hardware::NumberFormat;

struct Row {
  WeightFormat format;
  std::string_view name;
  double bits;
  NumberFormat arithmetic;
};

constexpr std::array rows{
    Row{WeightFormat::fp32, "fp32", 32, NumberFormat::fp32},
    Row{WeightFormat::bf16, "bf16", 16, NumberFormat::bf16},
    Row{WeightFormat::fp16, "fp16", 16, NumberFormat::fp16},
    Row{WeightFormat::fp8, "fp8", 8, NumberFormat::fp8},
    Row{WeightFormat::fp8_block128, "fp8_block128", 8 + 32.0 / (128 * 128), NumberFormat::fp8},
    Row{WeightFormat::int8, "int8", 8, NumberFormat::int8},
    Row{WeightFormat::int4_group128, "int4_group128", 4 + (16.0 + 4.0) / 128, NumberFormat::bf16},
    Row{WeightFormat::int4_group32, "int4_group32", 4 + 16.0 / 32, NumberFormat::bf16},
    Row{WeightFormat::mxfp4, "mxfp4", 4 + 8.0 / 32, NumberFormat::bf16},
    Row{WeightFormat::nvfp4, "nvfp4", 4 + 8.0 / 16, NumberFormat::fp4},
};

constexpr const Row& row_of(WeightFormat format) { return rows[static_cast<std::size_t>(format)]; }

constexpr bool in_order() {
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].format != static_cast<WeightFormat>(i)) return false;
  return true;
}
static_assert(in_order(), "a row stands at the place of its format");

}  // namespace

std::string_view to_string(WeightFormat format) { return row_of(format).name; }

std::optional<WeightFormat> weight_format(std::string_view name) {
  for (const Row& row : rows)
    if (row.name == name) return row.format;
  return std::nullopt;
}

double bits_per_weight(WeightFormat format) { return row_of(format).bits; }

NumberFormat arithmetic_format(WeightFormat format) { return row_of(format).arithmetic; }

}  // namespace rackwright::llm
