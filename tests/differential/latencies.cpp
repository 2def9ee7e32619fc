#include "tests/differential/latencies.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace rackwright::test {

void Latencies::add(double first_token_s, double completion_s, int output_tokens) {
  ttft.push_back(first_token_s);
  e2e.push_back(completion_s);
  if (output_tokens > 1) tpot.push_back((completion_s - first_token_s) / (output_tokens - 1));
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double p99(std::vector<double> values) {
  std::ranges::sort(values);
  return values[static_cast<std::size_t>(std::ceil(0.99 * static_cast<double>(values.size()))) - 1];
}

}  // namespace rackwright::test
