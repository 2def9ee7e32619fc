#include "scenarios/results/step_stretch.h"

namespace rackwright::results {

StepTotals& StepTotals::operator+=(const StepTotals& other) {
  for (std::size_t kind = 0; kind < step_kind_count; ++kind) busy_ps[kind] += other.busy_ps[kind];
  steps += other.steps;
  prefill_tokens += other.prefill_tokens;
  decode_tokens += other.decode_tokens;
  sequence_s += other.sequence_s;
  largest_batch = std::max(largest_batch, other.largest_batch);
  return *this;
}

StepTotals totals_within(const StepStretch& stretch, SimTime from, SimTime to) {
  StepTotals totals;
  const SimTime begin = std::max(from, stretch.start);
  const SimTime end = std::min(to, stretch.end);
  if (end <= begin) return totals;
  const std::int64_t before = begin == stretch.start ? 0 : stretch.steps_ended(begin);
  const std::int64_t until = stretch.steps_ended(end);
  const std::int64_t length_ps = (end - begin).ps;
  totals.busy_ps[static_cast<std::size_t>(stretch.kind())] = length_ps;
  totals.steps = until - before;
  totals.prefill_tokens = stretch.prefill_tokens * totals.steps;
  totals.decode_tokens = stretch.decode_tokens(until) - stretch.decode_tokens(before);
  totals.sequence_s = static_cast<double>(stretch.sequences()) * static_cast<double>(length_ps) / 1e12;
  totals.largest_batch = stretch.sequences();
  return totals;
}

}  // namespace rackwright::results
