#include "traces/generators/workloads/builtin.h"

namespace rackwright::traces {

/// BurstGPT, first two months without failures (1,404,294 requests from 5 s to 5,269,973 s; HPMLL/BurstGPT release 2.0,
/// CC-BY-4.0). The trace itself was not at hand; known of it, from public analyses: prompts p50 262, p90 1,824, maximum
/// 29,665; answers p50 36, p90 276, maximum 7,315; 763 tokens in all per request; gaps in whole seconds p50 1, p90 4,
/// p99 54; dispersion 2.0 in 1 s bins. Everything between these points is assumed: a minimum of 1, geometric steps from
/// p50 to p90, and p99 and p99.9 such that the mean comes near 763 (it is 773). So are the burst lengths, which give gaps
/// of 1, 5 and 61 s and a dispersion of 2.0. The trace's day and week are left out. Low confidence: use the trace itself
/// where the answer depends on it.
GeneratorSpec burstgpt() {
  GeneratorSpec spec;
  spec.title = "ChatGPT and GPT-4 mix: inputs around 260 tokens, outputs around 36, 0.27 requests/s in bursts";
  spec.source = "published statistics of BurstGPT (HPMLL/BurstGPT, CC-BY-4.0), tails and bursts assumed; low confidence";
  spec.arrivals.kind = ArrivalSpec::Kind::on_off;
  spec.arrivals.rate_per_s = 1'404'294 / 5'269'968.0;
  spec.arrivals.bursts = {.on_s = 60, .on_cv = 1, .off_s = 70, .off_cv = 1.5, .gap_cv = 1.5};
  spec.input_tokens = QuantileTable({{0, 1}, {0.25, 90}, {0.5, 262}, {0.6, 426}, {0.7, 692}, {0.8, 1123}, {0.9, 1824},
                                     {0.95, 2405}, {0.99, 3000}, {0.999, 7500}, {1, 29665}});
  spec.output_tokens = QuantileTable({{0, 1}, {0.25, 14}, {0.5, 36}, {0.6, 60}, {0.7, 100}, {0.8, 166}, {0.9, 276},
                                      {0.95, 425}, {0.99, 600}, {0.999, 1800}, {1, 7315}});
  return spec;
}

}  // namespace rackwright::traces
