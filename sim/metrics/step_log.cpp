#include "sim/metrics/step_log.h"

namespace rackwright::metrics {

void StepLog::on_stretch(const Stretch& stretch) {
  if (stretch.end > stretch.start) writer_.add(to_step_stretch(stretch));
}

results::StepStretch to_step_stretch(const Stretch& stretch) {
  results::StepStretch steps;
  steps.instance = stretch.instance;
  steps.start = stretch.start;
  steps.end = stretch.end;
  steps.steps = stretch.steps;
  steps.first = stretch.first_step.value_or(stretch.cost.duration);
  steps.duration = stretch.cost.duration;
  steps.growth = stretch.cost.growth;
  steps.decode_sequences = stretch.decode_sequences;
  steps.prefill_sequences = stretch.prefill_sequences;
  steps.prefill_tokens = stretch.prefill_tokens;
  steps.extra_tokens = stretch.extra_tokens;
  steps.waiting = stretch.waiting;
  steps.kv_blocks_used = stretch.kv_blocks_used;
  steps.kv_blocks = stretch.kv_blocks;
  steps.power_mw = stretch.cost.power_mw;
  return steps;
}

}  // namespace rackwright::metrics
