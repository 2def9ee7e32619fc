#include "traces/generators/workloads/builtin.h"

namespace rackwright::traces {

/// Rate, interarrival CV and quantiles of the Azure LLM inference trace 2023, conversation (19,366 requests in 3,501.7 s;
/// Azure/AzurePublicDataset, CC-BY-4.0), nearest rank. Lengths of a request are drawn independently (rank correlation
/// 0.07 in the trace). The slow drift of the trace's rate over its hour is left out, so the dispersion is that of the
/// gamma gaps alone: 1.2 instead of 1.39 in 1 s bins.
GeneratorSpec azure_conversation_2023() {
  GeneratorSpec spec;
  spec.title = "Chat: inputs around 1,000 tokens, outputs around 130, 5.5 requests/s";
  spec.source = "statistics of the Azure LLM inference trace 2023 (conversation), AzurePublicDataset, CC-BY-4.0; measured";
  spec.arrivals.kind = ArrivalSpec::Kind::gamma;
  spec.arrivals.rate_per_s = 5.530;
  spec.arrivals.cv = 1.09;
  spec.input_tokens = QuantileTable({
      {0, 2}, {0.001, 8}, {0.005, 16}, {0.01, 29}, {0.02, 91}, {0.05, 181}, {0.1, 207}, {0.15, 372}, {0.2, 387},
      {0.25, 396}, {0.3, 403}, {0.35, 414}, {0.4, 703}, {0.45, 984}, {0.5, 1020}, {0.55, 1045}, {0.6, 1071},
      {0.65, 1097}, {0.7, 1130}, {0.75, 1189}, {0.8, 1315}, {0.85, 1877}, {0.9, 2735}, {0.925, 4075}, {0.95, 4083},
      {0.96, 4086}, {0.97, 4090}, {0.98, 4098}, {0.99, 4142}, {0.995, 4831}, {0.999, 6212}, {1, 14050}});
  spec.output_tokens = QuantileTable({
      {0, 7}, {0.001, 12}, {0.005, 14}, {0.01, 16}, {0.02, 24}, {0.05, 41}, {0.1, 54}, {0.15, 67}, {0.2, 77},
      {0.25, 85}, {0.3, 91}, {0.35, 96}, {0.4, 103}, {0.45, 113}, {0.5, 129}, {0.55, 151}, {0.6, 177}, {0.65, 217},
      {0.7, 384}, {0.75, 395}, {0.8, 400}, {0.85, 411}, {0.9, 424}, {0.925, 430}, {0.95, 451}, {0.96, 468},
      {0.97, 509}, {0.98, 540}, {0.99, 601}, {0.995, 644}, {0.999, 954}, {1, 1000}});
  return spec;
}

}  // namespace rackwright::traces
