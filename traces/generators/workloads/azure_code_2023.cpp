#include "traces/generators/workloads/builtin.h"

namespace rackwright::traces {

/// Rate, quantiles and burst lengths of the Azure LLM inference trace 2023, code (8,819 requests in 3,435.9 s;
/// Azure/AzurePublicDataset, CC-BY-4.0), nearest rank. A burst is what no gap above 1 s interrupts: 141 of them, with
/// mean and CV of their lengths (5.62 s, 1.28), of the silence between (18.83 s, 1.92) and of the gaps inside (1.41)
/// as measured. 3.7 % of the inputs sit at the service's limit of 7,435 to 7,437 tokens.
GeneratorSpec azure_code_2023() {
  GeneratorSpec spec;
  spec.title = "Code completion: inputs around 1,500 tokens, outputs around 13, 2.6 requests/s in bursts";
  spec.source = "statistics of the Azure LLM inference trace 2023 (code), AzurePublicDataset, CC-BY-4.0; measured";
  spec.arrivals.kind = ArrivalSpec::Kind::on_off;
  spec.arrivals.rate_per_s = 2.567;
  spec.arrivals.bursts = {.on_s = 5.62, .on_cv = 1.28, .off_s = 18.83, .off_cv = 1.92, .gap_cv = 1.41};
  spec.input_tokens = QuantileTable({
      {0, 3}, {0.001, 7}, {0.005, 12}, {0.01, 17}, {0.02, 35}, {0.05, 75}, {0.1, 147}, {0.15, 232}, {0.2, 385},
      {0.25, 578}, {0.3, 770}, {0.35, 938}, {0.4, 1075}, {0.45, 1261}, {0.5, 1469}, {0.55, 1690}, {0.6, 1909},
      {0.65, 2164}, {0.7, 2433}, {0.75, 2745}, {0.8, 3193}, {0.85, 3923}, {0.9, 5194}, {0.925, 6097}, {0.95, 7315},
      {0.96, 7431}, {0.97, 7435}, {0.98, 7436}, {0.99, 7436}, {0.995, 7436}, {0.999, 7437}, {1, 7437}});
  spec.output_tokens = QuantileTable({
      {0, 6}, {0.001, 6}, {0.005, 6}, {0.01, 6}, {0.02, 6}, {0.05, 6}, {0.1, 7}, {0.15, 7}, {0.2, 8}, {0.25, 9},
      {0.3, 9}, {0.35, 10}, {0.4, 11}, {0.45, 12}, {0.5, 13}, {0.55, 14}, {0.6, 16}, {0.65, 18}, {0.7, 20},
      {0.75, 24}, {0.8, 29}, {0.85, 39}, {0.9, 55}, {0.925, 69}, {0.95, 90}, {0.96, 105}, {0.97, 128}, {0.98, 172},
      {0.99, 252}, {0.995, 361}, {0.999, 831}, {1, 1899}});
  return spec;
}

}  // namespace rackwright::traces
