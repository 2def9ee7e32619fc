#include <utility>

#include "traces/transforms/transforms.h"

namespace rackwright::traces {

Requests transform(Requests source, const TransformSpec& spec, RowCounts& counts) {
  if (spec.dequantize_tick) source = dequantize(std::move(source), *spec.dequantize_tick, spec.seed, counts);
  if (spec.from > SimTime{} || spec.to < SimTime::max()) source = slice_time(std::move(source), spec.from, spec.to, counts);
  if (spec.skip > 0 || spec.count) source = slice_count(std::move(source), spec.skip, spec.count.value_or(~std::uint64_t{0}), counts);
  if (spec.time_scale != 1) source = scale_time(std::move(source), spec.time_scale);
  if (spec.limits.input_tokens || spec.limits.output_tokens || spec.limits.total_tokens) {
    source = clip_lengths(std::move(source), spec.limits, counts);
  }
  if (!spec.models.empty()) source = rename_models(std::move(source), spec.models, counts);
  return source;
}

}  // namespace rackwright::traces
